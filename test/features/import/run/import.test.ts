import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Progress } from '../../../../src/features/import/report/progress-tracker.ts';
import { KeyedService, lost, refusedConnection } from '../../../support/peers/keyed-service.ts';
import { event, events, importer, MAPPING } from '../../../support/scenarios/importer.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

test('an unusable input suggests no command to resume', async () => {
  const { run, service } = importer({ 'a.csv': 'user_id,event,timestamp\nu,e,2026-01-31T12:00:00Z\n' });
  await expect(run()).rejects.toMatchObject({
    name: 'InputError',
    hint: 'svc events import a.csv --map userId=user_id',
  });
  expect(service.bodies).toEqual([]);
});

test('several files: sends every record once, in batches that do not cross files, without a rejects file', async () => {
  const { run, rejects, service } = importer({
    'a.ndjson': events(25).join('\n'),
    'b.ndjson.gz': gzipSync(events(5, 25).join('\n')),
  });
  const { result, failure } = await run();
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({
    files: 2,
    read: 30,
    accepted: 30,
    batches: 4,
    rejectsFile: null,
    resumeCommand: null,
  });
  expect(service.stored.sort()).toEqual(events(30).sort());
  expect(rejects()).toBeUndefined();
});

test('computes the number of remaining requests, also after an earlier run', async () => {
  const service = new KeyedService({ after: (count) => (count === 7 ? lost() : undefined) });
  const { run } = importer({ 'a.ndjson': `${events(100, 100).join('\n')}\n` }, service);
  const seen: number[] = [];
  const onProgress = ({ requestsLeft }: Progress) => seen.push(requestsLeft);
  await run({ concurrency: 1 }, { onProgress });
  expect([...new Set(seen)]).toEqual([10, 9, 8, 7, 6, 5, 4]);
  seen.length = 0;
  service.habits = {};
  await run({ mode: 'resume', concurrency: 1 }, { onProgress });
  expect([...new Set(seen)].slice(-4)).toEqual([3, 2, 1, 0]);
});

test('the hash in the result is the hash of the file', async () => {
  const { run } = importer({ 'a.ndjson.gz': gzipSync('') });
  const { result } = await run();
  expect(result).toMatchObject({ read: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('an answer lost after the commit: --resume sends the same keys and stores nothing twice', async () => {
  const service = new KeyedService({ after: (count) => (count % 3 === 0 ? lost() : undefined) });
  const { run, rejects } = importer(
    { 'a.ndjson': [...events(40), 'bad', ...events(40, 40)].join('\n') },
    service,
  );
  const first = await run();
  expect(first.failure).toBeDefined();
  expect(first.result.unsent).toBeGreaterThan(0);
  await expect(run()).rejects.toMatchObject({ reason: 'unfinished' });

  service.habits = {};
  const second = await run({ mode: 'resume' });
  expect(second.failure).toBeUndefined();
  expect(service.stored.sort()).toEqual(events(80).sort());
  expect(second.result).toMatchObject({ read: 81, unsent: 0, resumeCommand: null });
  expect(second.result.accepted + second.result.rejected + second.result.skipped).toBe(81);
  expect(rejects()).toHaveLength(1);

  const sent = service.bodies.length;
  const third = await run({ mode: 'resume' });
  expect(third.result).toMatchObject({ read: 81, skipped: 81, accepted: 0, rejected: 0 });
  expect(service.bodies.length).toBe(sent);
});

test('an import that never reached the service leaves no unfinished journal', async () => {
  const service = new KeyedService({ before: () => refusedConnection() });
  const { run } = importer({ 'a.ndjson': events(40).join('\n') }, service);
  expect((await run()).result).toMatchObject({ accepted: 0, unsent: expect.any(Number) });
  service.habits = {};
  expect((await run()).result).toMatchObject({ accepted: 40 });
});

test('a batch with an ambiguous outcome stays ambiguous if the service is unreachable later', async () => {
  const service = new KeyedService({ after: () => lost() });
  const { run } = importer({ 'a.ndjson': events(4).join('\n') }, service);
  await run();
  service.habits = { before: () => refusedConnection() };
  await run({ mode: 'resume' });
  await expect(run()).rejects.toMatchObject({ reason: 'unfinished' });
  service.habits = {};
  expect((await run({ mode: 'resume' })).result.accepted).toBe(4);
  expect(service.stored).toEqual(events(4));
});

test('--restart sends everything again under new keys', async () => {
  const service = new KeyedService({ after: (count) => (count > 1 ? lost() : undefined) });
  const { run } = importer({ 'a.ndjson': events(20).join('\n') }, service);
  await run();
  service.habits = {};
  expect((await run({ mode: 'restart' })).result).toMatchObject({ accepted: 20, skipped: 0 });
  expect(service.stored.length).toBeGreaterThan(20);
});

test.each([
  ['a file that grew', (path: string) => writeFileSync(path, `${events(30).join('\n')}\n${event(99)}`)],
  ['a file of the same size that was written to', (path: string) => utimesSync(path, 1, 1)],
])('--resume refuses %s', async (_, change) => {
  const service = new KeyedService({ before: (count) => (count > 1 ? lost() : undefined) });
  const { run, cwd } = importer({ 'a.ndjson': events(30).join('\n') }, service);
  await run();
  change(join(cwd, 'a.ndjson'));
  await expect(run({ mode: 'resume' })).rejects.toMatchObject({ reason: 'changed' });
});

test('--resume refuses options that differ from those of the import, and names them', async () => {
  const service = new KeyedService({ before: (count) => (count > 1 ? lost() : undefined) });
  const { run } = importer({ 'a.ndjson': events(30).join('\n') }, service);
  await run();
  await expect(
    run({ mode: 'resume', mapping: { ...MAPPING, set: new Map([['event', 'x']]) } }),
  ).rejects.toMatchObject({
    reason: 'options',
    finished: false,
    differences: [{ name: 'set', before: [] }],
  });
});

test('refuses a pipe at the position where its content differs', async () => {
  const service = new KeyedService({ before: (count) => (count > 1 ? lost() : undefined) });
  const { run } = importer({ '-': '' }, service);
  const pipe = (text: string) => ({ stdin: Readable.from([Buffer.from(text)]) });
  await run({}, pipe(events(30).join('\n')));
  service.habits = {};
  const changed = await run({ mode: 'resume' }, pipe([event(7), ...events(29, 1)].join('\n')));
  expect(changed.failure).toMatchObject({ error: { name: 'InputChanged' } });
  const short = await run({ mode: 'resume' }, pipe(events(10).join('\n')));
  expect(short.failure).toMatchObject({ error: { name: 'InputChanged' } });
  const same = await run({ mode: 'resume' }, pipe(events(30).join('\n')));
  expect(same.failure).toBeUndefined();
  expect(service.stored.sort()).toEqual(events(30).sort());
});

test.each([false, true])(
  'a pipe is flushed after the interval, sampled before or not (%s), and resumes with the same batches',
  async (preflight) => {
    const clock = new VirtualClock();
    let send: (text: string | null) => void = () => undefined;
    const chunks = async function* () {
      for (;;) {
        const text = await new Promise<string | null>((resolve) => {
          send = resolve;
        });
        if (text === null) return;
        yield Buffer.from(text);
      }
    };
    const service = new KeyedService();
    const { run } = importer({ '-': '' }, service);
    const done = run({ preflight }, { stdin: chunks(), clock });
    const until = async (check: () => boolean) => {
      while (!check()) await new Promise((resolve) => setImmediate(resolve));
    };
    await until(() => clock.asleep === 0 && send.length > 0);
    send(`${event(0)}\n${event(1)}\n`);
    await until(() => clock.asleep > 0);
    expect(service.bodies).toHaveLength(0);
    await clock.advance(5000);
    await until(() => {
      void clock.advance(0);
      return service.stored.length === 2;
    });
    send(`${event(2)}\n`);
    await until(() => clock.asleep > 0);
    send(null);
    expect((await done).result).toMatchObject({ accepted: 3, batches: 2 });

    const again = await run(
      { mode: 'resume' },
      { stdin: Readable.from([Buffer.from(`${events(3).join('\n')}\n`)]) },
    );
    expect(again.result).toMatchObject({ skipped: 3, accepted: 0 });
  },
);

test('does not flush a pipe early while full batches arrive', async () => {
  const clock = new VirtualClock();
  const chunks = async function* () {
    for (let n = 0; n < 200; n++) {
      await clock.advance(1000);
      yield Buffer.from(`${events(7, n * 7).join('\n')}\n`);
    }
  };
  const { run, service } = importer({ '-': '' });
  const { result } = await run({}, { stdin: chunks(), clock });
  expect(result).toMatchObject({ accepted: 1400, batches: 140 });
  expect(service.stored).toHaveLength(1400);
});

test.each([1, 2, 3, 17])('%i shards by bytes and by record contain every record once', async (count) => {
  const lines = Array.from({ length: 60 }, (_, n) => event(n * 10 ** (n % 7)));
  for (const [name, content] of [
    ['a.ndjson', lines.join('\n')],
    ['a.ndjson.gz', gzipSync(lines.join('\n'))],
  ] as const) {
    const service = new KeyedService();
    let read = 0;
    for (let index = 0; index < count; index++) {
      const shard = importer({ [name]: content }, service);
      const { result } = await shard.run({ name: { shard: { index, count } } as never });
      read += result.read;
    }
    expect(read).toBe(60);
    expect(service.stored.toSorted()).toEqual(lines.toSorted());
  }
});

test('a shard reports rejects with their line in the whole file', async () => {
  const text = [...events(50), 'bad', ...events(50)].join('\n');
  for (const index of [0, 1]) {
    const { run, rejects } = importer({ 'a.ndjson': text });
    await run({ name: { shard: { index, count: 2 } } as never });
    expect(rejects() ?? [{ line: 51 }]).toMatchObject([{ line: 51 }]);
  }
});

test('two runs cannot write one journal', async () => {
  let oneEnded = () => {};
  const ended = new Promise<undefined>((resolve) => {
    oneEnded = () => resolve(undefined);
  });
  // Neither ends before the other has begun.
  const service = new KeyedService({ before: () => ended });
  const { run } = importer({ 'a.ndjson': events(40).join('\n') }, service);
  const runs = [run(), run()];
  for (const each of runs) each.then(oneEnded, oneEnded);
  const [a, b] = await Promise.allSettled(runs);
  const states = [a!, b!].map(({ status }) => status).sort();
  expect(states).toEqual(['fulfilled', 'rejected']);
  expect([a!, b!].find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { reason: 'locked' },
  });
});
