import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { readSeasoned, type SeasonedReport } from '../support/scenarios/seasoned/check.ts';
import { tempDir } from '../support/temp.ts';

/** SVC_SEASONED scales the number of records, for example 0.25. */
const SCALE = Number(process.env.SVC_SEASONED ?? 1);

/** The largest catalog, and the data of several years. */
const SIZE = {
  hotEvents: 80_000,
  bigEvents: 200 * SCALE,
  bigBytes: 8 * 1024 * 1024 - 200,
  contents: 1000,
  subscriptions: 3000,
  deliveries: 5000 * SCALE,
  decisions: 100_000 * SCALE,
  wideDecisions: 300 * SCALE,
  messages: 1000,
};

function check(engine: string, report: SeasonedReport): void {
  console.log(engine, JSON.stringify(report));
  expect(report.faults).toEqual([]);
  expect(report.streamed.events).toBe(SIZE.hotEvents + SIZE.bigEvents);
  expect(report.delivered).toBe(SIZE.subscriptions);
  for (const [list, { largest }] of Object.entries(report.pages))
    expect(largest, list).toBeLessThan(2 * 1024 * 1024);
  expect(report.serviceMegabytes).toBeLessThan(400);
  expect(report.exportMegabytes).toBeLessThan(400);
  expect(report.p99).toBeLessThanOrEqual(50);
}

test('SQLite: during any read of a large store, other decisions take less than 50 ms', async () => {
  const program = await svcProgram();
  const folder = tempDir();
  try {
    check('SQLite', await readSeasoned(program, join(folder, 'data.db'), join(folder, 'home'), SIZE));
  } finally {
    program.release();
  }
});

test('PostgreSQL: during any read of a large store, other decisions take less than 50 ms', async () => {
  const program = await svcProgram();
  const server = await startPostgres();
  try {
    const database = await createDatabase(server.admin);
    check('PostgreSQL', await readSeasoned(program, database, join(tempDir(), 'home'), SIZE));
  } finally {
    await server.stop();
    program.release();
  }
});
