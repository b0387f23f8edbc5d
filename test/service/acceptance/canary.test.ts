import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { users } from '../../../src/service/users/store/users.ts';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const CANARY = {
  name: 'Canary Quillfeather',
  phone: '+4915199887766',
  accountNumber: 'DE02120300000000202051',
};
/** Also the parts that remain if one is truncated. */
const TRACES = [...Object.values(CANARY), 'Quillfeather', '99887766', '0300000000202051'];

test('a name, a phone and an account number are found nowhere', { timeout: 300_000 }, async () => {
  const seen: string[] = [];
  const service = await startTestService({
    log: (level, message, fields) => seen.push(JSON.stringify({ level, message, ...fields })),
  });
  const { store, cipher } = service.platform;
  const home = tempDir();
  const run = async (...argv: string[]) => {
    const { stdout, stderr } = await runSvc([...argv, '--debug'], { env: service.env, home });
    seen.push(stdout, stderr);
    return stdout;
  };

  // In a separate process, so that the process list can be checked while it runs.
  const importer = spawn(
    process.execPath,
    [
      ...[...(await builtSvc()), 'users', 'import', '-', '--format', 'ndjson'],
      ...['--flush-interval', '1s', '--json', '--debug'],
    ],
    { env: { PATH: process.env.PATH, HOME: home, ...service.env }, stdio: 'pipe' },
  );
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    importer[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  importer.stdin.write(`${JSON.stringify({ userId: 'u1', ...CANARY, timeZone: 'Europe/Berlin' })}\n`);
  await expect.poll(() => output.stdout).toMatch(/hashId/);
  const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  expect(processes).toContain('users import');
  importer.stdin.end();
  const [code] = await once(importer, 'close');
  expect(code, output.stderr).toBe(0);
  seen.push(processes, output.stdout, output.stderr);
  expect(output.stderr).toMatch(/POST \/v1\/users/);

  const { hashId } = JSON.parse(output.stdout.split('\n')[0]!);
  expect(await store.read((tx) => users.personal(tx, cipher, service.workspace, hashId))).toEqual(CANARY);
  const decided = JSON.parse(await run('decide', '--hash-id', hashId, '--json'));
  await run('decide', '--hash-id', hashId);
  await run('messages', 'list', '--hash-id', hashId);
  await run('messages', 'outcome', decided.decisionId, 'clicked');
  await run(
    'notifications',
    'trigger',
    '--hash-id',
    hashId,
    '--template',
    'welcome',
    '--channel',
    'sms',
    '--wait',
  );
  await run('decisions', 'evaluate');
  await run('api', 'GET', `/v1/messages?hashId=${hashId}`);
  const refused = await service.fetch('/v1/users', { body: { users: [{ ...CANARY, name: [CANARY.name] }] } });
  expect(refused.status).toBe(400);
  seen.push(await refused.text(), JSON.stringify([...refused.headers]));
  await expect.poll(() => service.idle()).toBe(true);

  seen.push(await everyRow(store));
  const files = [dirname(service.files), home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  expect(files).toContain(`${service.files}.key`);
  for (const file of files) if (statSync(file).isFile()) seen.push(readFileSync(file).toString('latin1'));
  expect(seen.join('\n')).toContain(hashId);
  for (const trace of TRACES)
    for (const text of seen) expect(text.includes(trace), `${trace} in ${text.slice(0, 300)}`).toBe(false);
});

/** The contents of the database as text, bytes unchanged; on SQLite also those of its files. */
async function everyRow(store: Store): Promise<string> {
  const tables =
    store.dialect.name === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
  return store.read(async (tx) => {
    const texts: string[] = [];
    for (const { name } of await tx.sql.all<{ name: string }>(tables))
      for (const row of await tx.sql.all<Record<string, unknown>>(`SELECT * FROM ${name}`))
        for (const value of Object.values(row))
          texts.push(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));
    expect(texts.length).toBeGreaterThan(50);
    return texts.join('\n');
  });
}
