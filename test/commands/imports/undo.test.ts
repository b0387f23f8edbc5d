import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeRunBack } from '../../../src/features/import/deliver/journal/undo.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const lines = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) =>
      `{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":${from + i}}}\n`,
  ).join('');

/** A machine with a service, and a file `e.ndjson` with 30 events that was imported. */
async function machine() {
  const service = await startTestService();
  const home = tempDir();
  const svc = (argv: string[]) => runSvc(argv, { home, cwd: home, env: service.env });
  const send = async (...flags: string[]) => {
    const run = await svc(['events', 'import', 'e.ndjson', '--batch-size', '10', '--json', ...flags]);
    return {
      code: run.code,
      stderr: run.stderr,
      accepted: run.stdout === '' ? 0 : JSON.parse(run.stdout).accepted,
    };
  };
  const runs = async (): Promise<{ runId: string; undone: boolean; accepted: number }[]> =>
    JSON.parse((await svc(['imports', 'list', '--json'])).stdout).imports[0].runs;
  const stored = async () => {
    const rows = await service.platform.store.read((tx) =>
      tx.sql.all<{ properties: string }>(
        'SELECT properties FROM event WHERE workspace_id = ? ORDER BY number',
        [service.workspace],
      ),
    );
    return rows.map(({ properties }) => JSON.parse(properties).n as number).sort((a, b) => a - b);
  };
  writeFileSync(join(home, 'e.ndjson'), lines(0, 30));
  expect(await send()).toMatchObject({ code: 0, accepted: 30 });
  return { service, home, svc, send, runs, stored };
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('after an undo the events are gone, and the next import sends them again', async () => {
  const { svc, send, runs, stored } = await machine();
  const { runId } = (await runs())[0]!;
  expect(await svc(['imports', 'undo', runId])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  const dry = await svc(['imports', 'undo', runId, '--dry-run']);
  expect(dry.stdout).toMatch(/^30 events\n/);
  expect(await send()).toMatchObject({ code: 0, accepted: 0 });
  expect(await svc(['imports', 'undo', runId, '--yes'])).toMatchObject({
    code: 0,
    stdout: 'deleted 30 events. Decisions that were made and webhooks that were sent stay.\n',
  });
  expect(await stored()).toEqual([]);
  expect(await runs()).toMatchObject([{ runId, undone: true }]);
  // Repeated, it says so again, or that there is nothing left once counts of users are corrected.
  expect((await svc(['imports', 'undo', runId, '--yes'])).stdout).toMatch(/^(deleted 30|no) events/);
  expect(await send()).toMatchObject({ code: 0, accepted: 30 });
  expect(await stored()).toEqual(upTo(30));
  expect(await send()).toMatchObject({ code: 0, accepted: 0 });
});

test('a run that sent what was appended is taken back alone', async () => {
  const { home, svc, send, runs, stored } = await machine();
  appendFileSync(join(home, 'e.ndjson'), lines(30, 15));
  expect(await send()).toMatchObject({ accepted: 15 });
  const [second, first] = await runs();
  expect(await svc(['imports', 'undo', second!.runId, '--yes'])).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(upTo(30));
  appendFileSync(join(home, 'e.ndjson'), lines(45, 5));
  expect(await send()).toMatchObject({ accepted: 20 });
  expect(await stored()).toEqual(upTo(50));

  // Of the first one, what the later one sent stays: --resume sends the rest.
  expect(await svc(['imports', 'undo', first!.runId, '--yes'])).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(upTo(50).slice(30));
  expect(await send()).toMatchObject({ code: 2, stderr: expect.stringContaining('--resume') });
  expect(await send('--resume')).toMatchObject({ code: 0, accepted: 30 });
  expect(await stored()).toEqual(upTo(50));
});

test('an undo that was cut off keeps the next import from starting, until it is repeated', async () => {
  const { home, svc, send, runs, stored } = await machine();
  const { runId } = (await runs())[0]!;
  const folder = join(home, 'data', 'imports');
  const [journal] = readdirSync(folder).filter((name) => name.endsWith('.journal'));
  takeRunBack(join(folder, journal!), runId, 'begin');
  expect(await send()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`svc imports undo ${runId} --yes`),
  });
  expect(await svc(['imports', 'undo', runId, '--yes'])).toMatchObject({ code: 0 });
  expect(await send()).toMatchObject({ code: 0, accepted: 30 });
  expect(await stored()).toEqual(upTo(30));
});

test('a run that is going on is refused', async () => {
  let answer = () => {};
  const slow = await startReceiver((response) => {
    answer = () =>
      response.writeHead(202, { 'x-service-features': 'eventId,importRun' }).end('{"accepted":30}');
  });
  onTestFinished(() => slow.close());
  const home = tempDir();
  const env = { SVC_BASE_URL: slow.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env });
  writeFileSync(join(home, 'e.ndjson'), lines(0, 30));
  const going = svc('events', 'import', 'e.ndjson');
  await slow.waitFor(1);
  const folder = join(home, 'data', 'imports');
  const noted = () => readdirSync(folder).filter((name) => name.endsWith('.run'));
  const run = readFileSync(join(folder, noted()[0]!), 'utf8');
  expect(await svc('imports', 'undo', run, '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is running'),
  });
  answer();
  expect(await going).toMatchObject({ code: 0 });
  expect(noted()).toEqual([]);
});

test('a run of another workspace is refused, and what is none', async () => {
  const { home, svc, runs } = await machine();
  const { runId } = (await runs())[0]!;
  const other = await startTestService();
  const elsewhere = await runSvc(['imports', 'undo', runId, '--yes'], { home, cwd: home, env: other.env });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--profile') });
  expect(await svc(['imports', 'undo', 'a run', '--yes'])).toMatchObject({ code: 2 });
});

test('the ids of events that were taken back may be sent again', async () => {
  const { home, svc } = await machine();
  writeFileSync(
    join(home, 'ids.csv'),
    `order,userId,event,timestamp\n${upTo(20)
      .map((n) => `${n},u,bought,2026-01-01T00:00:00Z\n`)
      .join('')}`,
  );
  const send = async () =>
    JSON.parse((await svc(['events', 'import', 'ids.csv', '--map', 'eventId=order', '--json'])).stdout);
  expect(await send()).toMatchObject({ accepted: 20, duplicates: 0 });
  const { imports } = JSON.parse((await svc(['imports', 'list', '--json'])).stdout);
  const [{ runId }] = imports.find(({ inputs }: { inputs: string[] }) => inputs[0]!.endsWith('ids.csv')).runs;
  expect(await svc(['imports', 'undo', runId, '--yes'])).toMatchObject({ code: 0 });
  expect(await send()).toMatchObject({ accepted: 20, duplicates: 0 });
});

test('a run that neither this machine nor the service knows is an error, and one that was taken back is none', async () => {
  const { service, home, svc, runs } = await machine();
  const { runId } = (await runs())[0]!;
  const deletions = () =>
    service.platform.store.read((tx) => tx.sql.all('SELECT 1 AS one FROM event_deletion WHERE dry_run = 0'));
  for (const argv of [
    ['imports', 'undo', `${runId}0`],
    ['events', 'delete', '--run', `${runId}0`, '--event', 'e'],
  ])
    for (const flags of [['--yes'], ['--dry-run'], ['--yes', '--json']]) {
      const wrong = await svc([...argv, ...flags]);
      expect(wrong, flags.join()).toMatchObject({ code: 5, stdout: '' });
      expect(wrong.stderr).toContain(`there is no run ${runId}0`);
      expect(wrong.stderr).toContain('svc imports list');
    }
  expect(await deletions()).toEqual([]);
  // Where no journal has the run, the service knows it, also once all of it is deleted.
  const elsewhere = tempDir();
  const again = () =>
    runSvc(['imports', 'undo', runId, '--yes', '--json'], { home: elsewhere, env: service.env });
  expect(JSON.parse((await again()).stdout)).toMatchObject({ events: 30, status: expect.any(String) });
  await expect.poll(() => service.idle()).toBe(true);
  expect(await again()).toMatchObject({ code: 0 });
  // A run that this machine knows, and that the service does not.
  await service.platform.store.write(async (tx) => {
    await tx.sql.run('DELETE FROM event_deletion WHERE workspace_id = ?', [service.workspace]);
    await tx.sql.run('DELETE FROM event_run WHERE workspace_id = ?', [service.workspace]);
  });
  expect(
    await runSvc(['imports', 'undo', runId, '--yes'], { home: elsewhere, env: service.env }),
  ).toMatchObject({
    code: 5,
  });
  expect(
    await runSvc(['imports', 'undo', runId, '--yes'], { home, cwd: home, env: service.env }),
  ).toMatchObject({
    code: 0,
    stdout: 'no events to delete\n',
  });
});
