import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What runs on PostgreSQL only. */
const POSTGRES_ONLY = [
  'test/service/platform/store/postgres/**/*.test.ts',
  'test/acceptance/examples.test.ts',
  'test/commands/serve/postgres.test.ts',
  'test/chaos/shared-limit.test.ts',
  'test/chaos/fleet-kills.test.ts',
  'test/chaos/postgres-restarts.test.ts',
  'test/chaos/limiter-postgres.test.ts',
];

/**
 * What runs on PostgreSQL too: what has a statement that no other of these executes there, or needs two processes. The
 * rest of what the engines share is REPEATED_ON_POSTGRES.
 */
export const ON_POSTGRES = [
  'test/service/{acceptance,admin,erasure}/*.test.ts',
  'test/service/catalog/versions.test.ts',
  'test/service/clock/clock.test.ts',
  'test/service/copy/*.test.ts',
  'test/service/decisions/{decide,learning,repeats}.test.ts',
  'test/service/decisions/goals/{brute-force,conversions,goal-changes,goal-reports,guards}.test.ts',
  'test/service/events/event-plan.test.ts',
  'test/service/events/stream/{live-events,watch-events}.test.ts',
  'test/service/http/access/{client-events,client-keys,frozen}.test.ts',
  'test/service/notifications/{lists,other-nodes,receipt-endpoint,receipts,send-later}.test.ts',
  'test/service/notifications/receipts/{races,scope}.test.ts',
  'test/service/platform/store/{by-workspace,due-work,schema}.test.ts',
  'test/service/overview/{latest-messages,latest-users,overview,trends}.test.ts',
  'test/service/retention/{growth,retained-service,retention}.test.ts',
  'test/service/telemetry/{nodes,operations,stored-data,usage}.test.ts',
  'test/service/timeline/reads.test.ts',
  'test/service/webhooks/{deliveries,kinds,missed,performance,redelivery,static-headers,webhooks}.test.ts',
  'test/service/webhooks/store/outcome-log.test.ts',
  'test/chaos/{cancelled/cancelled,clock/clock-kills,outcomes/outcomes}.test.ts',
  'test/chaos/{migration,retention}-kills.test.ts',
  'test/chaos/erasure/{deletion,user-deletion}-kills.test.ts',
  'test/commands/serve/{console,processes}.test.ts',
];

/** Features whose statements are all executed by the files above: `npm run test:chaos` runs them on PostgreSQL as well. */
export const REPEATED_ON_POSTGRES = [
  'test/service/clock/{moving,seeded}.test.ts',
  'test/service/decisions/messages.test.ts',
  'test/service/decisions/goals/goals.test.ts',
  'test/service/events/{event-numbers,events}.test.ts',
  'test/service/events/stream/unread-streams.test.ts',
  'test/service/notifications/{marketing,notifications,unsubscribe}.test.ts',
  'test/service/notifications/receipts/bounces.test.ts',
  'test/service/users/addresses.test.ts',
  'test/service/webhooks/{deliverer,hostile-subscribers}.test.ts',
];

const WAITING = /\/test\/(acceptance|chaos)\//;

/**
 * Starts the files that wait for processes which they kill first: vitest's own order, the largest file first, has the last
 * of them run alone at the end. The files of a project stay together.
 */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const later = ({ moduleId }: TestSpecification) => Number(!WAITING.test(moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => a.project.name.localeCompare(b.project.name) || later(a) - later(b));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // Test files share the modules of their worker: importing them again for each takes a third of the time.
    isolate: false,
    globalSetup: ['test/support/process/program-global.ts'],
    setupFiles: ['test/support/process/property-seed.ts'],
    // Most tests wait for a process or a socket: vitest's own choice, one worker on two cores, leaves both idle.
    maxWorkers: 5,
    sequence: { sequencer: WaitingFirst },
    // A guard against a test that hangs, far above what the slowest one needs on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What a test waits for comes when the machine has time for it.
    expect: { poll: { timeout: 100_000 } },
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
