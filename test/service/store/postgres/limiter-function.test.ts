import fc from 'fast-check';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { limiter } from '../../../../src/service/store/migrations/008-by-workspace/limiter.ts';
import { PostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { postgresDatabase } from '../../../support/postgres/database.ts';

/** A session whose clock is the setting `test.now`, Unix ms, on a database with the function before migration 22. */
async function session(): Promise<pg.Client> {
  const url = await postgresDatabase();
  await (await PostgresStore.open(url, systemClock)).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('CREATE SCHEMA test_time');
  await client.query(
    `CREATE FUNCTION test_time.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT to_timestamp(current_setting('test.now')::numeric / 1000) $$`,
  );
  await client.query('SET search_path = test_time, pg_catalog, public');
  await client.query(limiter[0]!.replaceAll('svc_count_request', 'svc_count_before'));
  return client;
}

const step = fc.record({
  /** How far the clock moves before it, in ms. */
  passed: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: -200, max: 400 })),
  limit: fc.integer({ min: 1, max: 4 }),
  window: fc.constantFrom(100, 300),
  /** What is added to the skew before it. */
  skewed: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -150, max: 150 })),
  /** Makes the head forget the oldest entry, as before the migration. */
  forgotten: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
});

it('the limiter answers and keeps its log as the function that it replaces', async () => {
  const client = await session();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const workspaces = { svc_count_before: `before-${++run}`, svc_count_request: `now-${run}` };
      let now = 1_000_000;
      for (const { passed, limit, window, skewed, forgotten } of steps) {
        now += passed;
        await client.query(`SET test.now = ${now}`);
        await client.query(`UPDATE limiter_time SET skew = skew + ${skewed}`);
        if (forgotten) await client.query('UPDATE admission_head SET oldest = NULL');
        const answers: unknown[] = [];
        const logs: unknown[] = [];
        for (const [name, workspace] of Object.entries(workspaces)) {
          const call = `SELECT * FROM ${name}($1, 'ingest', $2, $3, NULL, NULL, NULL)`;
          answers.push((await client.query(call, [workspace, limit, window])).rows);
          const log =
            'SELECT at_ms FROM admission WHERE workspace_id = $1 UNION ALL SELECT newest FROM admission_head WHERE workspace_id = $1 ORDER BY 1';
          logs.push((await client.query(log, [workspace])).rows);
        }
        expect(answers[1]).toEqual(answers[0]);
        expect(logs[1]).toEqual(logs[0]);
      }
    }),
    { numRuns: 40 },
  );
}, 300_000);

it('a refused request changes neither the log nor its head', async () => {
  const client = await session();
  await client.query('SET test.now = 1000000');
  const ask = () =>
    client.query(`SELECT * FROM svc_count_request('ws', 'ingest', 2, 1000, NULL, NULL, NULL)`);
  const rows = async () =>
    (
      await client.query(
        'SELECT ctid::text AS row FROM admission UNION ALL SELECT ctid::text FROM admission_head ORDER BY 1',
      )
    ).rows;
  for (let i = 0; i < 2; i++) await ask();
  const before = await rows();
  expect((await ask()).rows[0]).toMatchObject({ counted: '2', blocking: '1000000' });
  expect(await rows()).toEqual(before);
});
