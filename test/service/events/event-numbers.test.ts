import { expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { eventBatch } from '../../support/events/batch.ts';
import { generator } from '../../support/generator.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { tempDir } from '../../support/temp.ts';

const WORKSPACES = ['ws_a', 'ws_b'];
const SENDERS = 8;
const BATCHES = 12;

const body = (names: readonly string[]) =>
  eventBatch(
    JSON.stringify({
      events: names.map((userId) => ({ userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' })),
    }),
  );

/** Follows the events of a workspace as a stream does, until `done` says that no more will come. */
async function follow(store: Store, workspace: string, page: number, done: () => boolean) {
  const seen: { number: number; userId: string }[] = [];
  for (;;) {
    const last = done();
    const { rows } = await store.read((tx) => events.after(tx, workspace, seen.at(-1)?.number ?? 0, page));
    seen.push(...rows.map(({ number, userId }) => ({ number, userId })));
    if (last && rows.length === 0) return seen;
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test('readers miss no event while many senders commit and roll back on two nodes', async () => {
  const database = await freshDatabase(tempDir());
  const nodes = [await connectStore(database, systemClock), await connectStore(database, systemClock)];
  for (const id of WORKSPACES)
    await nodes[0]!.write((tx) => createWorkspaceRows(tx, { id, region: null, mode: 'test' }));
  const random = generator(7);
  const kept = new Map<string, Set<string>>(WORKSPACES.map((workspace) => [workspace, new Set()]));
  let sending = true;
  const send = async (sender: number) => {
    for (let batch = 0; batch < BATCHES; batch++) {
      const workspace = WORKSPACES[(sender + batch) % 2]!;
      const names = Array.from(
        { length: 1 + Math.floor(random() * 40) },
        (_, i) => `${sender} ${batch} ${i}`,
      );
      const fails = random() < 0.25;
      await nodes[sender % 2]!.write(async (tx) => {
        await events.append(tx, workspace, body(names));
        if (fails) throw new Error('rolled back');
      }).then(
        () => names.forEach((name) => void kept.get(workspace)!.add(name)),
        (error: Error) => expect(error.message).toBe('rolled back'),
      );
    }
  };
  const readers = WORKSPACES.flatMap((workspace) =>
    [3, 1000].map(async (page, i) => ({
      workspace,
      seen: await follow(nodes[i]!, workspace, page, () => !sending),
    })),
  );
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  sending = false;
  for (const { workspace, seen } of await Promise.all(readers)) {
    // Without a gap, from the first on.
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, i) => i + 1));
    expect(new Set(seen.map(({ userId }) => userId))).toEqual(kept.get(workspace));
    expect(seen).toHaveLength(kept.get(workspace)!.size);
  }
  for (const node of nodes) await node.close();
});
