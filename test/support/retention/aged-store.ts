import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { REMOVALS_BY_AGE } from '../../../src/service/features.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { Precedence } from '../../../src/service/platform/precedence.ts';
import { NUMBERED_LOGS, type Retention } from '../../../src/service/platform/store/retained-logs.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { cleanOnce } from '../../../src/service/retention/janitor.ts';
import { freshDatabase, onPostgres, tellTime } from '../postgres/database.ts';
import { tempDir } from '../temp.ts';

export const DAY_MS = 86_400_000;

export interface AgedStore {
  readonly database: string;
  readonly store: Store;
  readonly workspaces: readonly string[];
  /** Moves the clock, Unix ms. */
  to(time: number): Promise<void>;
  /** Does what the workers do until nothing is left to remove. Returns what stood in the way of partitions. */
  clean(retention: Retention): Promise<string[]>;
}

/** A store of the engine under test with two workspaces and a clock that the test moves. */
export async function agedStore(start: number): Promise<AgedStore> {
  const database = await freshDatabase(tempDir());
  let now = start;
  const clock = { ...systemClock, now: () => now };
  const tell = onPostgres ? await tellTime(database, clock) : async () => {};
  const store = await connectStore(database, clock);
  onTestFinished(() => store.close());
  const ids = ['ws_one', 'ws_two'];
  for (const id of ids)
    await store.write((tx) => createWorkspaceRows(tx, { id, region: null, mode: 'test' }));
  const precedence = new Precedence();
  return {
    database,
    store,
    workspaces: ids,
    to: async (time) => {
      now = time;
      await tell();
    },
    clean: async (retention) => {
      const obstacles: string[] = [];
      if (store.partitions)
        for (const log of NUMBERED_LOGS)
          obstacles.push((await store.partitions.keep(log, retention[log])) ?? '');
      for (const id of ids)
        while ((await cleanOnce({ store, precedence }, () => retention, REMOVALS_BY_AGE, id)) > 0);
      return obstacles.filter((obstacle) => obstacle !== '');
    },
  };
}
