import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

test('an import maps ids, and the service stores each once, however often it is sent', async () => {
  const cwd = tempDir();
  writeFileSync(
    join(cwd, 'orders.csv'),
    'order,userId,event,timestamp\n' +
      [1, 2, 1].map((n) => `${n},u,bought,2026-01-01T00:00:0${n}Z\n`).join(''),
  );
  const env = { SVC_DATA_DIR: join(cwd, 'data'), SVC_CONFIG_DIR: join(cwd, 'config') };
  const svc = (...argv: string[]) => runSvc([...argv, '--profile', 'local', '--json'], { env, cwd });
  const counts = async (...more: string[]) =>
    JSON.parse((await svc('events', 'import', 'orders.csv', '--map', 'eventId=order', ...more)).stdout);
  expect(await counts()).toMatchObject({ accepted: 3, duplicates: 1, rejected: 0 });
  expect(await counts('--restart')).toMatchObject({ accepted: 3, duplicates: 3 });
  const sent = await svc('events', 'send', '--user-id', 'other', '-e', 'bought', '--event-id', '2');
  expect(JSON.parse(sent.stdout)).toMatchObject({ accepted: 1, duplicates: 1 });
  const exported = await runSvc(['data', 'export', '--type', 'event'], { env, cwd });
  const stored = exported.stdout.trim().split('\n');
  expect(stored.map((line) => JSON.parse(line).eventId)).toEqual(['1', '2']);
});

test.each([
  ['', 'must not be empty'],
  ['x'.repeat(129), 'must have at most 128 characters'],
])('an id of a wrong length is refused before anything is sent: exit 2', async (id, message) => {
  const run = await runSvc(['events', 'send', '--user-id', 'u', '-e', 'e', '--event-id', id]);
  expect(run).toMatchObject({ code: 2 });
  expect(run.stderr).toContain(`eventId ${message}`);
});

test('the service refuses an id that is not a text', async () => {
  const body = '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z","eventId":7}]}';
  const home = tempDir();
  const env = { SVC_DATA_DIR: join(home, 'data'), SVC_CONFIG_DIR: join(home, 'config') };
  const run = await runSvc(['api', 'POST', '/v1/events', '--input', '-', '--profile', 'local'], {
    env,
    stdin: body,
  });
  expect(JSON.parse(run.stdout).details).toEqual([
    { index: 0, field: 'eventId', message: 'must be a string' },
  ]);
});
