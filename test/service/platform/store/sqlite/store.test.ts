import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { localLimiter } from '../../../../../src/service/platform/limits/limiter.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import { decides } from '../../../decisions/store/decisions.ts';
import { conforms, type Engine } from '../conformance.ts';
import { sharesWork } from '../work.ts';

const prepare = async (): Promise<Engine> => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  return {
    open: () => SqliteStore.open(join(dir, 'store.db'), systemClock),
    limiter: async (store, steady) => (await localLimiter(store, systemClock, steady)).limiter,
    close: async () => rmSync(dir, { recursive: true, force: true }),
  };
};

conforms('SQLite', prepare);
sharesWork('SQLite', prepare);
decides('SQLite', prepare);
