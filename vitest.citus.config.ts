import { defineConfig } from 'vitest/config';
import { ON_POSTGRES, REPEATED_ON_POSTGRES } from './vitest.config.ts';

/**
 * `SVC_TEST_CITUS_URL=… npm run test:citus`: the conformance suite and the tests that run on PostgreSQL too, on a
 * distributed database. Of those of PostgreSQL alone, what looks into one server (its locks, plans, clock and partitions)
 * is left out.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    globalSetup: ['test/support/process/program-global.ts', 'test/support/postgres/postgres-global.ts'],
    setupFiles: ['test/support/process/property-seed.ts'],
    // Tests harm the workers, which all have in common.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each statement goes through the coordinator to a worker.
    expect: { poll: { timeout: 120_000 } },
    disableConsoleIntercept: true,
    env: { SVC_TEST_ENGINE: 'postgres' },
    include: [
      'test/service/platform/store/postgres/{citus,event-numbers,foreign,statements,store}.test.ts',
      'test/chaos/shared-limit.test.ts',
      ...ON_POSTGRES,
      ...REPEATED_ON_POSTGRES,
    ],
  },
});
