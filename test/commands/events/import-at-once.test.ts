import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const EVENTS = 40;

/** A service that acknowledges every event, and a machine with a file of 40. */
async function place() {
  let stored = 0;
  const service = await startReceiver((response, { body }) => {
    const accepted = (JSON.parse(String(body)) as { events: unknown[] }).events.length;
    stored += accepted;
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ accepted }));
  });
  onTestFinished(() => service.close());
  const home = tempDir();
  const line = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`;
  writeFileSync(join(home, 'a.ndjson'), Array.from({ length: EVENTS }, (_, n) => line(n)).join(''));
  const env = {
    SVC_BASE_URL: service.url,
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k'.repeat(20),
    SVC_DATA_DIR: join(home, 'data'),
  };
  const imported = (...more: string[]) =>
    runSvc(['events', 'import', 'a.ndjson', ...more], { home, cwd: home, env });
  const folder = join(home, 'data', 'imports');
  const journals = () => readdirSync(folder).filter((name) => name.endsWith('.journal'));
  return { home, imported, stored: () => stored, journal: () => join(folder, journals()[0]!), folder };
}

test('an empty journal, which a killed or full machine leaves, starts a new import', async () => {
  const { imported, stored, journal, home } = await place();
  expect((await imported('--dry-run')).code).toBe(0);
  expect((await imported()).code).toBe(0);
  truncateSync(journal(), 0);
  expect(await imported()).toMatchObject({ code: 0, stdout: expect.stringContaining('accepted 40') });
  expect(stored()).toBe(2 * EVENTS);
  writeFileSync(join(home, 'my.journal'), '');
  expect(await imported('--checkpoint', 'my.journal')).toMatchObject({ code: 0 });
});

test('an empty journal that another process holds is in use', async () => {
  const { home, imported, stored } = await place();
  const path = join(home, 'my.journal');
  writeFileSync(path, '');
  const holder = new Database(path);
  holder.exec('BEGIN EXCLUSIVE');
  const run = await imported('--checkpoint', 'my.journal');
  holder.close();
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringContaining('another process is running this import'),
  ]);
  expect(stored()).toBe(0);
  expect((await imported('--checkpoint', 'my.journal')).code).toBe(0);
});

test('of imports of one file at once, also with other batch sizes, one sends it', async () => {
  const { imported, stored } = await place();
  const sizes = ['10', '10', '20', '40'];
  const runs = await Promise.all(sizes.map((size) => imported('--batch-size', size)));
  // One sends the file. Another one ends while that runs, or finds that it was sent.
  for (const { code, stderr } of runs)
    if (code !== 0)
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: (another process|an earlier|the import|this input)/),
      ]);
  expect(runs.filter(({ stdout }) => stdout.includes('accepted 40'))).toHaveLength(1);
  expect(stored()).toBe(EVENTS);
});
