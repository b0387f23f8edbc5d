import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { serialiseModel } from '../../../src/service/decisions/engine/snapshot.ts';
import { LearnedModels } from '../../../src/service/decisions/learned-models.ts';
import { decisions } from '../../../src/service/decisions/store/decisions.ts';
import { rewards } from '../../../src/service/decisions/store/rewards.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { tempDir } from '../../support/temp.ts';

const IDS = Array.from({ length: 12 }, (_, i) => `ws_${i}`);
/** Memory for about three of the models, in numbers of eight bytes. */
const MOST = 5000;

/** A store with a workspace for each identifier, in each of which something was learned and stored. */
async function storeWithModels(): Promise<SqliteStore> {
  const store = await SqliteStore.open(join(tempDir(), 'data.db'), systemClock);
  onTestFinished(() => store.close());
  const models = new LearnedModels(() => {});
  for (const id of IDS) {
    await store.write(async (tx) => {
      await createWorkspaceRows(tx, { id, region: null, mode: 'test' });
      await learnOne(tx, id, 'dec_1');
    });
    await models.follow(store, id);
    await store.write((tx) => models.publish(tx, id));
  }
  return store;
}

async function learnOne(tx: Parameters<typeof rewards.record>[0], workspaceId: string, id: string) {
  const decision = {
    decisionId: `${workspaceId}${id}`,
    hashId: 'a'.repeat(64),
    context: { surface: 'home' },
    contentId: `content of ${workspaceId}`,
    candidates: [],
    others: null,
    features: null,
    category: 'any',
    attributes: [],
    prior: 0.1,
    modelVersion: 0,
    seed: 's',
    policy: null,
    reason: null,
    explanation: null,
    removed: null,
  };
  await decisions.add(tx, workspaceId, decision);
  await rewards.record(
    tx,
    workspaceId,
    { ...decision, reward: null },
    { reward: 0.6, earned: 0.6, parts: undefined },
  );
}

test('the models of many workspaces take bounded memory, and one that was dropped is read again', async () => {
  const store = await storeWithModels();
  const models = new LearnedModels(() => {}, MOST);
  const read = (id: string) => store.read((tx) => models.current(tx, id));
  const first = serialiseModel(await read(IDS[0]!));
  for (const id of IDS) {
    await read(id);
    expect(models.size).toBeLessThanOrEqual(MOST);
  }
  expect(models.held()).not.toContain(IDS[0]);
  expect(models.held()).toContain(IDS.at(-1));
  expect(serialiseModel(await read(IDS[0]!))).toBe(first);
});

test('a dropped model is not read again to follow the log: only its workspace is due for learning', async () => {
  const store = await storeWithModels();
  const models = new LearnedModels(() => {}, MOST);
  const behind = async () =>
    (await store.read((tx) => rewards.heads(tx, models.held()))).filter(({ workspaceId, seq }) =>
      models.isBehind(workspaceId, seq),
    );
  for (const id of IDS) await store.read((tx) => models.current(tx, id));
  expect(models.held()).not.toContain(IDS[0]);
  const held = models.held()[0]!;
  for (const id of [IDS[0]!, held]) await store.write((tx) => learnOne(tx, id, 'dec_2'));
  expect((await behind()).map(({ workspaceId }) => workspaceId)).toEqual([held]);
  expect((await store.read((tx) => due.page(tx, undefined, 'learn', '', 10))).found).toContain(IDS[0]);
  await models.follow(store, held);
  expect(await behind()).toEqual([]);
});
