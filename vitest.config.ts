import { defineConfig } from 'vitest/config';

/** What runs on PostgreSQL only. */
const POSTGRES_ONLY = [
  'test/service/store/postgres/**/*.test.ts',
  'test/acceptance/examples.test.ts',
  'test/commands/serve/postgres.test.ts',
  'test/chaos/shared-limit.test.ts',
  'test/chaos/fleet-kills.test.ts',
  'test/chaos/postgres-restarts.test.ts',
  'test/chaos/limiter-postgres.test.ts',
];

/** What runs on PostgreSQL too. */
export const ON_POSTGRES = [
  'test/service/*.test.ts',
  'test/service/{console,live-events,retention}/*.test.ts',
  'test/service/http/{decide,learning,messages}.test.ts',
  'test/chaos/{migration,retention}-kills.test.ts',
  'test/commands/serve/{console,processes}.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Test files share the modules of their worker: importing them again for each takes a third of the time.
    isolate: false,
    globalSetup: ['test/support/process/program-global.ts'],
    setupFiles: ['test/support/process/property-seed.ts'],
    // Most tests wait for a process or a socket: vitest's own choice, one worker on two cores, leaves both idle.
    maxWorkers: 5,
    // A guard against a test that hangs, far above what the slowest one needs on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for comes when the machine has time for it.
    expect: { poll: { timeout: 30_000 } },
    disableConsoleIntercept: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'svc',
          include: ['test/**/*.test.ts'],
          exclude: POSTGRES_ONLY,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...POSTGRES_ONLY, ...ON_POSTGRES],
          globalSetup: ['test/support/postgres/postgres-global.ts'],
          env: { SVC_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
});
