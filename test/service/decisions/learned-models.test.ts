import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { serialiseModel } from '../../../src/service/decisions/engine/snapshot.ts';
import { LearnedModels } from '../../../src/service/decisions/learned-models.ts';
import { decisions } from '../../../src/service/decisions/store/decisions.ts';
import { models as snapshots } from '../../../src/service/decisions/store/models.ts';
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
    await models.publish(store, id, async () => true);
  }
  return store;
}

async function learnOne(
  tx: Parameters<typeof rewards.record>[0],
  workspaceId: string,
  id: string,
  contentId = `content of ${workspaceId}`,
) {
  const decision = {
    decisionId: `${workspaceId}${id}`,
    hashId: 'a'.repeat(64),
    context: { surface: 'home' },
    contentId,
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

describe('a model that is stored in many pieces', () => {
  /** A name that fills some pieces, of characters that are two code units each. */
  const LONG = '\u{1F6D2}'.repeat(400_000);
  const always = async () => true;

  /** A workspace whose stored model is small, and the models of a process that have learned much more. */
  async function withMuchToStore() {
    const store = await storeWithModels();
    const id = IDS[0]!;
    const models = new LearnedModels(() => {});
    await store.write((tx) => learnOne(tx, id, 'dec_2', LONG));
    while ((await models.follow(store, id)) > 0);
    const text = serialiseModel(await store.read((tx) => models.current(tx, id)));
    const stored = async () =>
      serialiseModel(await store.read((tx) => new LearnedModels(() => {}).current(tx, id)));
    const rows = () =>
      store.read(({ sql }) =>
        sql.all<{ version: number; pieces: number }>(
          'SELECT version, count(*) AS pieces FROM model_piece WHERE workspace_id = ? GROUP BY version ORDER BY version',
          [id],
        ),
      );
    return { store, id, models, text, stored, rows };
  }

  test('is read as it was stored', async () => {
    const { store, id, models, text, stored, rows } = await withMuchToStore();
    expect(await models.publish(store, id, always)).toBe(text.length);
    expect(await stored()).toBe(text);
    expect((await rows()).at(-1)!.pieces).toBeGreaterThan(3);
    expect(await models.publish(store, id, always)).toBe(0);
  });

  test('is not read before its last piece, and begins again after an interruption', async () => {
    const { store, id, models, text, stored, rows } = await withMuchToStore();
    const before = await stored();
    const was = await rows();
    let left = 3;
    expect(await models.publish(store, id, async () => left-- > 0)).toBe(0);
    expect((await rows()).at(-1)).toMatchObject({ pieces: 3 });
    expect(await stored()).toBe(before);
    expect(await models.publish(store, id, always)).toBe(text.length);
    expect(await stored()).toBe(text);
    expect((await rows()).length).toBe(was.length + 1);
  });

  test('is given up where a user is erased meanwhile, and nothing of it is left', async () => {
    const { store, id, models, stored, rows } = await withMuchToStore();
    const before = await stored();
    const was = await rows();
    let pieces = 0;
    const eraseBeforeThird = async () => {
      if (++pieces === 3) await store.write((tx) => models.forgetStored(tx, id, 'b'.repeat(64)));
      return true;
    };
    let ended = false;
    const published = await models.publish(store, id, eraseBeforeThird, async () => {
      ended = true;
    });
    expect([published, ended]).toEqual([0, false]);
    expect(await rows()).toEqual(was);
    expect(await stored()).toBe(before);
  });

  test('is given up where another process begins to store the same version, which is whole then', async () => {
    const { store, id, models, text, stored, rows } = await withMuchToStore();
    const was = await rows();
    const other = new LearnedModels(() => {});
    while ((await other.follow(store, id)) > 0);
    let pieces = 0;
    const otherBeforeThird = async () => {
      if (++pieces === 3) {
        let left = 1;
        await other.publish(store, id, async () => left-- > 0);
      }
      return true;
    };
    expect(await models.publish(store, id, otherBeforeThird)).toBe(0);
    expect((await rows()).at(-1)).toMatchObject({ pieces: 1 });
    const published = await other.publish(store, id, always);
    expect([published, await stored(), (await rows()).length]).toEqual([text.length, text, was.length + 1]);
  });

  test('leaves no piece of the versions before the last two', async () => {
    const { store, id, models, rows } = await withMuchToStore();
    for (let n = 3; n < 9; n++) {
      await models.publish(store, id, always);
      await store.write((tx) => learnOne(tx, id, `dec_${n}`));
      while ((await models.follow(store, id)) > 0);
    }
    const kept = await store.read((tx) => snapshots.kept(tx, id));
    // What is left of the one before is removed with the next.
    expect((await rows()).length).toBeLessThanOrEqual(kept.length + 1);
  });
});
