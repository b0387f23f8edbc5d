import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type OwnServer, startPostgres } from '../support/postgres/postgres.ts';
import { type SvcProgram, svcProgram } from '../support/process/svc-process.ts';
import { shareLimit } from '../support/scenarios/shared-limit.ts';
import { tempDir } from '../support/temp.ts';

let program: SvcProgram;
let server: OwnServer;
beforeAll(async () => {
  program = await svcProgram();
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  program.release();
});

test.each([
  { limit: 600, requests: 1500, own429: 0 },
  { limit: 5000, requests: 12_500, own429: Number.POSITIVE_INFINITY },
])(
  'three nodes, five importers, limit $limit: never one over it in any 60 s',
  async ({ limit, requests, own429 }) => {
    const database = await createDatabase(server.admin);
    const report = await shareLimit(program, {
      database,
      home: tempDir(),
      limit,
      requests,
      windowMs: 60_000,
    });
    console.log(JSON.stringify({ limit, ...report }));
    expect(report.codes).toEqual(Array(5).fill(0));
    expect(report.most).toBeLessThanOrEqual(limit);
    expect(report.rateLimited).toBeLessThanOrEqual(own429);
    expect(report.stored).toBe(requests * 2);
    expect(report.distinct).toBe(requests * 2);
  },
);
