import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { REPEATED_ON_POSTGRES } from './vitest.config.ts';

/** The files with property tests. */
const PROPERTIES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file))
  .filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"));

/**
 * `npm run test:chaos`: the long tests that break things on purpose, each with a short form in the suite, the property
 * tests with other values in every run (`-- --project properties` for those alone), and features that the suite tests on
 * SQLite, on PostgreSQL (`-- --project postgres`).
 */
export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/support/process/program-global.ts'],
    setupFiles: ['test/support/process/property-seed.ts'],
    // Two at a time: each mostly waits for processes that it has killed.
    maxWorkers: 2,
    testTimeout: 30 * 60_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    disableConsoleIntercept: true,
    projects: [
      { extends: true, test: { name: 'chaos', include: ['test/chaos/**/*.chaos.ts'] } },
      {
        extends: true,
        test: { name: 'properties', include: PROPERTIES, env: { SVC_PROPERTY_SEED: 'random' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: REPEATED_ON_POSTGRES,
          globalSetup: ['test/support/postgres/postgres-global.ts'],
          env: { SVC_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
});
