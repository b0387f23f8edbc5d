import { defineConfig } from 'vitest/config';

/** The long tests that break things on purpose: `npm run test:chaos`. Each has a short form in the suite. */
export default defineConfig({
  test: {
    include: ['test/chaos/**/*.chaos.ts'],
    pool: 'forks',
    globalSetup: ['test/support/process/program-global.ts'],
    // Two at a time: each mostly waits for processes that it has killed.
    maxWorkers: 2,
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});
