import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import type { Log } from '../../../../src/service/platform/log.ts';
import { connectStore } from '../../../../src/service/platform/open.ts';
import { Precedence } from '../../../../src/service/platform/precedence.ts';
import { due } from '../../../../src/service/platform/store/due.ts';
import type { Store } from '../../../../src/service/platform/store/store.ts';
import { dueRound } from '../../../../src/service/platform/workers/worker.ts';
import { deliveries } from '../../../../src/service/webhooks/store/deliveries.ts';
import { fanOuts } from '../../../../src/service/webhooks/store/fan-outs.ts';
import { webhooks } from '../../../../src/service/webhooks/store/webhooks.ts';
import { freshDatabase } from '../../../support/postgres/database.ts';
import { tempDir } from '../../../support/temp.ts';

async function open(database: string): Promise<Store> {
  const store = await connectStore(database, systemClock);
  onTestFinished(() => store.close());
  return store;
}

test('the work of one workspace that fails is put off, and the others go on', async () => {
  const store = await open(await freshDatabase(tempDir()));
  const ids = ['ws_1', 'ws_2', 'ws_3'];
  await store.write(async (tx) => {
    for (const id of ids) await due.mark(tx, id, 'settle');
    await due.mark(tx, 'ws_later', 'settle', tx.now + 60_000);
    await due.mark(tx, 'ws_other', 'learn');
  });
  const done: string[] = [];
  const lines: unknown[] = [];
  const log: Log = (level, _, fields) => void lines.push([level, fields]);
  const round = dueRound({ store, log, precedence: new Precedence() }, 'settle', async (workspaceId) => {
    done.push(workspaceId);
    // What its transaction has done is undone.
    await store.write(async (tx) => {
      await due.clear(tx, workspaceId, 'settle');
      if (workspaceId === 'ws_2') throw new Error('cannot be reached');
    });
    return false;
  });
  expect(await round()).toBe(false);
  expect(done).toEqual(ids);
  expect(lines).toEqual([['error', { workspaceId: 'ws_2', reason: 'cannot be reached' }]]);
  expect(await round()).toBe(false);
  expect(done).toEqual(ids);
  const marks = await store.read((tx) =>
    tx.sql.all<{ id: string; at: number }>(
      "SELECT workspace_id AS id, due_at AS at FROM due WHERE lane = 'settle' ORDER BY workspace_id",
    ),
  );
  expect(marks.map(({ id }) => id)).toEqual(['ws_2', 'ws_later']);
  expect(marks[0]!.at).toBeGreaterThan(Date.now());
});

test('no work is overlooked while many transactions add it and two nodes take it', async () => {
  const DELIVERIES = 120;
  const database = await freshDatabase(tempDir());
  const nodes = [await open(database), await open(database)];
  const workspaces = ['ws_1', 'ws_2'];
  for (const workspace of workspaces)
    await nodes[0]!.write((tx) =>
      webhooks.create(tx, workspace, {
        id: `wh_${workspace}`,
        url: 'https://example.com/',
        events: ['campaign.clicked'],
        secret: Buffer.from('secret'),
        leaseMs: null,
      }),
    );
  const add = (i: number) =>
    nodes[i % 2]!.write((tx) =>
      fanOuts.start(tx, workspaces[i % 3 === 0 ? 0 : 1]!, {
        kind: 'campaign.clicked',
        decisionId: `dec_${i}`,
        contentId: 'c',
        hashId: 'h',
        occurredAt: tx.now,
      }),
    );
  const claimed: string[] = [];
  const rounds = nodes.map((store) =>
    dueRound({ store, log: () => {}, precedence: new Precedence() }, 'deliveries', (workspaceId) =>
      store.write(async (tx) => {
        await due.clear(tx, workspaceId, 'deliveries');
        const taken = await deliveries.claim(tx, workspaceId, `wh_${workspaceId}`, 3, 3_600_000);
        claimed.push(...taken.map(({ deliveryId }) => deliveryId));
        const next = taken.length === 3 ? tx.now : await deliveries.nextDue(tx, workspaceId);
        if (next !== undefined) await due.mark(tx, workspaceId, 'deliveries', next);
        return taken.length === 3;
      }),
    ),
  );
  const work = async (round: () => Promise<boolean>) => {
    while (claimed.length < DELIVERIES)
      if (!(await round())) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  await Promise.all([...rounds.map(work), ...Array.from({ length: DELIVERIES }, (_, i) => add(i))]);
  expect(new Set(claimed).size).toBe(DELIVERIES);
});
