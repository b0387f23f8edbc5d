import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WriteQueue } from '../../../../../src/service/platform/store/sqlite/write-queue.ts';

interface Job {
  readonly id: number;
  readonly bulk: boolean;
}

/** Before each group and before each write of one, some writes are added. */
const arrivals = fc.array(fc.array(fc.boolean(), { maxLength: 4 }), { minLength: 1, maxLength: 40 });

/** Runs all writes that arrive, and returns the groups in which they ran. */
function groupsOf(pieces: readonly boolean[][], limit: number): Job[][] {
  const queue = new WriteQueue<Job>(limit);
  const rest = [...pieces];
  let id = 0;
  const arrive = () => {
    for (const bulk of rest.shift() ?? []) queue.add({ id: id++, bulk }, bulk);
  };
  const groups: Job[][] = [];
  while (rest.length > 0 || queue.length > 0) {
    arrive();
    queue.startGroup();
    const group: Job[] = [];
    for (let entry = queue.next(); entry; entry = queue.next()) {
      expect(entry.bulk).toBe(entry.job.bulk);
      group.push(entry.job);
      arrive();
    }
    groups.push(group);
  }
  return groups;
}

test('every write runs once, each kind in order, in groups of at most the limit', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (pieces, limit) => {
      const groups = groupsOf(pieces, limit);
      const ran = groups.flat();
      expect(ran.map(({ id }) => id).sort((a, b) => a - b)).toEqual(pieces.flat().map((_, id) => id));
      for (const kind of [true, false]) {
        const ids = ran.filter(({ bulk }) => bulk === kind).map(({ id }) => id);
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
      }
      for (const group of groups) expect(group.length).toBeLessThanOrEqual(limit);
    }),
  );
});

test('no bulk write follows a write that somebody waits for in a group', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (pieces, limit) => {
      for (const group of groupsOf(pieces, limit)) {
        const first = group.findIndex(({ bulk }) => !bulk);
        if (first >= 0) expect(group.slice(first).some(({ bulk }) => bulk)).toBe(false);
      }
    }),
  );
});

test('while both kinds wait, each has its turn within two groups', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 20 }), (limit, bulk) => {
      const queue = new WriteQueue<Job>(limit);
      for (let id = 0; id < bulk; id++) queue.add({ id, bulk: true }, true);
      const ran = { urgent: 0, bulk: 0 };
      for (let group = 1; ran.bulk < bulk; group++) {
        queue.startGroup();
        // Another one arrives whenever one was taken.
        for (let taken = 0; taken < limit; taken++) {
          queue.add({ id: -1, bulk: false }, false);
          const entry = queue.next();
          if (!entry) break;
          ran[entry.bulk ? 'bulk' : 'urgent']++;
        }
        expect(ran.bulk).toBe(Math.floor(group / 2));
        expect(ran.urgent).toBeGreaterThanOrEqual(Math.ceil(group / 2));
      }
    }),
  );
});

test('a write that does not fit into a group begins the next one', () => {
  const queue = new WriteQueue<number>(8);
  for (const job of [1, 2, 30, 4]) queue.add(job, true);
  const groups: number[][] = [];
  while (queue.length > 0) {
    queue.startGroup();
    const group: number[] = [];
    const fits = (job: number) => group.length === 0 || job < 10;
    for (let entry = queue.next(fits); entry; entry = queue.next(fits)) group.push(entry.job);
    groups.push(group);
  }
  expect(groups).toEqual([
    [1, 2],
    [30, 4],
  ]);
});
