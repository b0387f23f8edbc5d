import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { mergeOnce } from '../../../src/service/events/id-merger.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { eventIds } from '../../../src/service/events/store/ids/event-ids.ts';
import { KnownIds } from '../../../src/service/events/store/ids/known-ids.ts';
import { Precedence } from '../../../src/service/platform/precedence.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { eventBatch } from '../../support/events/batch.ts';

const WORKSPACE = 'ws_ids';
const BEHIND = 'ws_behind';
const PERIOD_MS = 3_600_000;

/** The same on every engine: events with ids are stored once, whatever becomes of transactions, merges and processes. */
export function storesIdsOnce(stores: () => readonly [Store, Store]): void {
  it('stores the events of an id once, over processes, failed transactions, merges and restarts', async () => {
    const random = seededRandom('event ids');
    const pick = (most: number) => Math.floor(random() * most);
    const open = stores();
    await open[0].write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'live' }));
    const known = [new KnownIds(), new KnownIds()];
    const stored = new Set<string>();
    const append = async (node: number, ids: readonly string[], fails: boolean) => {
      const body = JSON.stringify({
        events: ids.map((eventId) => ({
          userId: 'u',
          event: 'e',
          timestamp: '2026-01-01T00:00:00Z',
          eventId,
        })),
      });
      const fresh = new Set(ids.filter((id) => !stored.has(id)));
      if (random() < 0.9) await known[node]!.prepare(open[node]!, WORKSPACE);
      const appended = open[node]!.write(async (tx) => {
        const { found, first } = await events.append(tx, WORKSPACE, eventBatch(body), known[node]!);
        if (fails) throw new Error('rolled back');
        return { ...found!, last: first + ids.length - 1 };
      });
      if (fails) return expect(appended).rejects.toThrow('rolled back');
      const { repeated, committed, last } = await appended;
      committed(last);
      expect(repeated.size).toBe(ids.length - fresh.size);
      for (const id of fresh) stored.add(id);
    };
    for (let step = 0; step < 150; step++) {
      const node = pick(2);
      const size = 1 + pick(step % 10 === 0 ? 900 : 20);
      const ids = Array.from({ length: size }, () => `id ${pick(4000)}`);
      await append(node, ids, random() < 0.15);
      if (random() < 0.1)
        while (
          await mergeOnce({ store: open[pick(2)]!, precedence: new Precedence() }, WORKSPACE, PERIOD_MS)
        );
      if (random() < 0.05) known[node] = new KnownIds();
    }
    const rows = await open[0].read((tx) =>
      tx.sql.all<{ id: string }>('SELECT event_id AS id FROM event WHERE workspace_id = ?', [WORKSPACE]),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([...stored].sort());
    // Ids outlive no more than their time: a later event with one is new.
    const after = Date.now() + 1000;
    const cutoffs = { events: null, decisions: null, notifications: null, eventIds: after, outcomes: null };
    while ((await open[0].write((tx) => eventIds.purge(tx, WORKSPACE, 500, cutoffs))) > 0);
    const left = await open[0].read(async ({ sql }) => [
      ...(await sql.all('SELECT run FROM event_id_run WHERE workspace_id = ?', [WORKSPACE])),
      ...(await sql.all('SELECT run FROM event_id_block WHERE workspace_id = ?', [WORKSPACE])),
    ]);
    expect(left).toEqual([]);
    stored.clear();
    await append(0, ['id 1', 'id 1', 'id 2'], false);
  });

  it('catches up with another process by what that one stored', async () => {
    const [one, other] = stores();
    await one.write((tx) => createWorkspaceRows(tx, { id: BEHIND, region: null, mode: 'live' }));
    const append = async (store: Store, known: KnownIds, id: number) => {
      const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z', eventId: `id ${id}` };
      const batch = eventBatch(JSON.stringify({ events: [event] }));
      const { found, first } = await store.write((tx) => events.append(tx, BEHIND, batch, known));
      found!.committed(first);
      return found!.repeated.size;
    };
    const [ahead, behind] = [new KnownIds(), new KnownIds()];
    await ahead.prepare(one, BEHIND);
    expect(await append(one, ahead, 0)).toBe(0);
    await behind.prepare(other, BEHIND);
    for (let id = 1; id <= 100; id++) expect(await append(one, ahead, id)).toBe(0);
    while (await mergeOnce({ store: one, precedence: new Precedence() }, BEHIND, PERIOD_MS));
    for (let id = 101; id <= 110; id++) expect(await append(one, ahead, id)).toBe(0);
    expect(behind.prepare(other, BEHIND)).toBeUndefined();
    expect(await append(other, behind, 50)).toBe(1);
    await behind.prepare(other, BEHIND);
    for (const id of [0, 16, 17, 100, 105, 110]) expect(await append(other, behind, id)).toBe(1);
    expect(await append(other, behind, 111)).toBe(0);
    expect(behind.prepare(other, BEHIND)).toBeUndefined();
    expect(await append(one, ahead, 111)).toBe(1);
  });
}
