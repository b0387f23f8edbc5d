import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const lines = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `{"userId":"u${from + i}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`,
  ).join('');

interface Run {
  readonly runId: string;
  readonly accepted: number;
  readonly undone: boolean;
}

test('each run of an import has an id, by which the service knows its events and the list names it', async () => {
  const service = await startTestService();
  const home = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env: service.env });
  const runs = async (): Promise<Run[]> =>
    JSON.parse((await svc('imports', 'list', '--json')).stdout).imports[0].runs;
  writeFileSync(join(home, 'e.ndjson'), lines(0, 30));
  expect((await svc('events', 'import', 'e.ndjson', '--batch-size', '10')).code).toBe(0);
  appendFileSync(join(home, 'e.ndjson'), lines(30, 5));
  expect((await svc('events', 'import', 'e.ndjson', '--batch-size', '10')).code).toBe(0);

  const [second, first] = await runs();
  expect([first, second]).toMatchObject([
    { accepted: 30, undone: false },
    { accepted: 5, undone: false },
  ]);
  expect((await svc('imports', 'list')).stdout).toContain(second!.runId);
  const stored = await service.platform.store.read((tx) =>
    tx.sql.all<{ run: string; events: number }>(
      `SELECT r.run, count(*) AS events FROM event_run r JOIN event e ON e.workspace_id = r.workspace_id
         AND e.number >= r.first AND e.number <= r.last
       WHERE r.workspace_id = ? AND e.workspace_id = ? GROUP BY r.run ORDER BY min(r.first)`,
      [service.workspace, service.workspace],
    ),
  );
  expect(stored.map(({ run, events }) => [run, Number(events)])).toEqual([
    [first!.runId, 30],
    [second!.runId, 5],
  ]);

  // A repeated import sends nothing, and has no run.
  expect((await svc('events', 'import', 'e.ndjson', '--batch-size', '10')).code).toBe(0);
  expect(await runs()).toHaveLength(2);
});

test('a batch whose answer was lost is sent again in the name of the run that sent it first', async () => {
  let requests = 0;
  const service = await startReceiver((response) => {
    if (++requests === 2) response.destroy();
    else if (requests > 2 && requests < 6) response.writeHead(503).end();
    else
      response
        .writeHead(202, { 'x-service-features': 'eventId, importRun' })
        .end(JSON.stringify({ accepted: 10 }));
  });
  onTestFinished(() => service.close());
  const home = tempDir();
  const env = { SVC_BASE_URL: service.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env });
  writeFileSync(join(home, 'e.ndjson'), lines(0, 30));
  const flags = [
    'e.ndjson',
    '--batch-size',
    '10',
    '--concurrency',
    '1',
    '--max-retries',
    '0',
    '--max-wait',
    '0',
  ];
  expect((await svc('events', 'import', ...flags)).code).toBe(6);
  requests = 5;
  expect(await svc('events', 'import', ...flags, '--resume')).toMatchObject({ code: 0 });

  const sent = service.received.map(({ headers }) => [
    headers['x-service-import-run'],
    headers['idempotency-key'],
  ]);
  expect(sent).toHaveLength(4);
  expect(sent[2]).toEqual(sent[1]);
  expect(sent[3]![0]).toMatch(/^run_[0-9a-f]{30}$/);
  expect(sent[3]![0]).not.toBe(sent[0]![0]);
  const { imports } = JSON.parse((await svc('imports', 'list', '--json')).stdout);
  expect(imports[0].runs.map(({ accepted }: Run) => accepted)).toEqual([10, 20]);
});

test('runs are listed only of a service that keeps them; it refuses an id that is none, and runs of apps', async () => {
  const foreign = await startReceiver((response) => response.writeHead(202).end('{"accepted":1}'));
  onTestFinished(() => foreign.close());
  const home = tempDir();
  const env = { SVC_BASE_URL: foreign.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  writeFileSync(join(home, 'e.ndjson'), lines(0, 1));
  expect((await runSvc(['events', 'import', 'e.ndjson'], { home, cwd: home, env })).code).toBe(0);
  const listed = await runSvc(['imports', 'list', '--json'], { home, cwd: home, env });
  expect(JSON.parse(listed.stdout).imports[0].runs).toEqual([]);

  const service = await startTestService();
  const events = [{ userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' }];
  const headers = { 'x-service-import-run': 'a run' };
  const answer = await service.fetch('/v1/events', { body: { events }, headers });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ details: [{ field: 'X-Service-Import-Run' }] });
});
