import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { connectStore, migrateStore } from '../../../src/service/platform/open.ts';
import { playTwins } from '../../support/deletions/twins.ts';
import { createDatabase, startPostgres } from '../../support/postgres/postgres.ts';
import { tempDir } from '../../support/temp.ts';

/** SVC_TWINS overrides how many are played on each engine, and SVC_SEED which ones. */
const PLAYED = Number(process.env.SVC_TWINS ?? 1000);
/** Workspaces of one database: it has two of each interleaving. */
const TOGETHER = 100;

test.each(['sqlite', 'postgres'])(
  '%s: after deletions, a workspace is like one that never had the events',
  { timeout: 2 * 3600_000 },
  async (engine) => {
    const seed = process.env.SVC_SEED ?? String(Date.now() % 2 ** 31);
    const postgres = engine === 'postgres' ? await startPostgres() : undefined;
    if (postgres) onTestFinished(() => postgres.stop());
    let deleted = 0;
    for (let first = 0; first < PLAYED; first += TOGETHER) {
      const database = postgres ? await createDatabase(postgres.admin) : join(tempDir(), 'data.db');
      await migrateStore(database, systemClock);
      const store = await connectStore(database, systemClock);
      try {
        for (let i = first; i < Math.min(first + TOGETHER, PLAYED); i++) {
          const played = await playTwins(store, `${seed}_${i}`);
          expect(played.differences, `SVC_SEED=${seed}, interleaving ${i}`).toEqual([]);
          deleted += played.deleted;
        }
      } finally {
        await store.close();
      }
    }
    console.log(`${engine}: ${PLAYED} played, ${deleted} events deleted`);
    expect(deleted).toBeGreaterThan(5 * PLAYED);
  },
);
