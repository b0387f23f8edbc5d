import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runProcess, startProcess } from '../../support/process/run-process.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Data of ours that became unreadable: what its first start left beside it says whose it was. */
function writeDamaged(file: string): void {
  writeFileSync(file, 'this is no database, however long it may be');
  writeFileSync(`${file}.credentials.json`, '{"workspace": "ws_1", "apiKey": "sk_test_1"}');
}

describe('svc data reset', () => {
  it('removes the data and keeps workspace and key', async () => {
    // In processes of their own: data that this process has had open counts as in use until it ends.
    const svc = await builtSvc();
    const home = tempDir();
    const run = (...argv: string[]) => runProcess(svc, argv, { home, env: { SVC_PROFILE: 'local' } });
    expect((await run('events', 'send', '--user-id', 'u', '--event', 'e')).code).toBe(0);
    const data = join(home, 'data');
    const credentials = readFileSync(join(data, 'service.db.credentials.json'), 'utf8');
    expect(await run('data', 'reset')).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(join(data, 'service.db'))).toBe(true);
    expect((await run('data', 'reset', '--yes', '--json')).code).toBe(0);
    expect(readdirSync(data).filter((name) => name.startsWith('service.db'))).toEqual([
      'service.db.credentials.json',
    ]);
    await run('events', 'send', '--user-id', 'u2', '--event', 'e');
    expect(readFileSync(join(data, 'service.db.credentials.json'), 'utf8')).toBe(credentials);
    const after = lines((await run('data', 'export', '--type', 'event')).stdout);
    expect(after.map(({ userId }) => userId)).toEqual(['u2']);
  });

  it('makes imports into it start from the beginning, and keeps the journals of other services', async () => {
    const svc = await builtSvc();
    const home = tempDir();
    const run = async (line: string, env = {}) => runProcess(svc, line.split(' '), { home, env });
    const other = await startTestService({ limits: { ingest: 600 } });
    const elsewhere = {
      SVC_BASE_URL: other.url,
      SVC_WORKSPACE: other.workspace,
      SVC_API_KEY: other.apiKey,
    };
    const good = '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n';
    writeFileSync(join(home, 'done.ndjson'), good);
    writeFileSync(join(home, 'cut.ndjson'), `${good}{}\n${good}`);
    const CUT = 'events import cut.ndjson --batch-size 1';
    for (const env of [{ SVC_PROFILE: 'local' }, elsewhere])
      expect((await run('events import done.ndjson', env)).code).toBe(0);
    expect((await run(`${CUT} --profile local --fail-fast`)).code).toBe(7);
    const same = await run('events import done.ndjson --profile local --json');
    expect(JSON.parse(same.stdout)).toMatchObject({ skipped: 1 });

    const { stdout } = await run('data reset --profile local --yes');
    expect(stdout).toMatch(/^removed the data at .*service\.db; .*\(journals removed: 2\)\n$/);
    expect(readdirSync(join(home, 'data', 'limits'))).toHaveLength(1);

    // Neither an unfinished import nor its claim on the rejects file is left.
    for (const line of ['events import done.ndjson', 'events import cut.ndjson']) {
      const again = await run(`${line} --profile local --json`);
      expect(JSON.parse(again.stdout)).toMatchObject({ skipped: 0 });
      expect(again.stderr).not.toMatch(/nothing is sent|unfinished/);
    }
    const kept = await run('events import done.ndjson --resume --json', elsewhere);
    expect(JSON.parse(kept.stdout)).toMatchObject({ accepted: 0, skipped: 1 });
  });

  it('removes the journals of imports through svc serve, too', async () => {
    const svc = await builtSvc();
    const home = tempDir();
    const line = '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n';
    writeFileSync(join(home, 'a.ndjson'), line);
    const serve = startProcess(svc, ['serve', '--port', '0', '--json'], { home });
    onTestFinished(() => void serve.kill('SIGKILL'));
    const [ready] = await once(serve.stdout, 'data');
    const { url, workspace, apiKey } = JSON.parse(String(ready));
    const env = { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey };
    expect((await runSvc(['events', 'import', 'a.ndjson'], { home, env })).code).toBe(0);
    const journals = () => readdirSync(join(home, 'data', 'imports')).filter((n) => n.endsWith('.journal'));
    expect(journals()).toHaveLength(1);
    serve.kill('SIGTERM');
    await once(serve, 'close');
    expect((await runProcess(svc, ['data', 'reset', '--yes'], { home })).code).toBe(0);
    expect(journals()).toEqual([]);
  });

  it('refuses while a service uses the data', async () => {
    const service = await startTestService();
    const run = await runSvc(['data', 'reset', '--yes', '--database', service.database]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/in use by another process/);
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  });

  it('removes damaged data, and reports missing data', async () => {
    const home = tempDir();
    const file = join(home, 'broken.db');
    writeDamaged(file);
    expect((await runSvc(['data', 'reset', '--yes', '--database', file])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const none = await runSvc(['data', 'reset', '--yes', '--database', file]);
    expect(none.stdout).toMatch(/no data at/);
    expect(existsSync(file)).toBe(false);
  });

  it('removes only files of svc beside the data', async () => {
    const file = join(tempDir(), 'server');
    writeDamaged(file);
    writeFileSync(`${file}.key`, '-----BEGIN PRIVATE KEY-----\n');
    writeFileSync(`${file}.outbox.ndjson`, '{"mine":1}\n');
    const run = await runSvc(['data', 'reset', '--yes', '--database', file, '--json']);
    expect(JSON.parse(run.stdout).removed).toEqual([file]);
    expect(readFileSync(`${file}.key`, 'utf8')).toMatch(/^-----BEGIN/);
    expect(existsSync(`${file}.outbox.ndjson`)).toBe(true);
  });

  it.each([
    ['serve', '--port', '0'],
    ['serve', 'migrate'],
    ['data', 'export'],
  ])('%s %s names the damaged file in the next step, and not the data of `local`', async (...argv) => {
    const file = join(tempDir(), 'bro ken.db');
    writeDamaged(file);
    const run = await runSvc([...argv.filter((word) => word !== undefined), '--database', file, '--json']);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'data',
      hint: `nothing was changed; \`svc data reset --database '${file}' --yes\` deletes the data and starts empty`,
    });
  });
});

const EU = [
  'profiles',
  'add',
  'eu',
  '--no-check',
  '--workspace',
  'w',
  '--region',
  'eu',
  '--base-url',
  'https://eu.test',
];

async function withData(current: string, run: (...argv: string[]) => Promise<unknown>, home: string) {
  await run('events', 'send', '--user-id', 'mine', '--event', 'e', '--profile', 'local');
  await runSvc(EU, { home, env: { SVC_API_KEY: 'sk_test_0123456789abcdef' } });
  await runSvc(['profiles', 'use', current], { home });
}

describe('svc data reset, with a remote service', () => {
  it.each<[string, string[], Record<string, string>, string]>([
    ['--profile', ['--profile', 'eu'], {}, 'local'],
    ['--profile beside --database', ['-p', 'eu', '--database', 'x.db'], {}, 'local'],
    ['--base-url', ['--base-url', 'https://eu.test'], {}, 'local'],
    ['--workspace', ['--profile', 'local', '--workspace', 'w'], {}, 'local'],
    ['SVC_BASE_URL', [], { SVC_BASE_URL: 'http://127.0.0.1:1' }, 'local'],
    [
      'SVC_BASE_URL that is far from the database',
      [],
      { SVC_BASE_URL: 'https://eu.test', SVC_DATABASE_URL: 'x.db' },
      'local',
    ],
    ['SVC_PROFILE', [], { SVC_PROFILE: 'eu', SVC_DATABASE_URL: 'x.db' }, 'local'],
    ['the profile in use', [], {}, 'eu'],
  ])('refuses by %s and touches nothing', async (_, argv, env, current) => {
    const home = tempDir();
    await withData(current, (...words) => runSvc(words, { home }), home);
    const run = await runSvc(['data', 'reset', '--yes', ...argv, '--json'], { home, env });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    const { code, hint } = JSON.parse(run.stderr).error;
    expect(code).toBe('usage');
    expect(hint).toContain('svc data reset --profile local # ');
    expect(hint).not.toContain('--yes');
    const kept = await runSvc(['data', 'export', '--profile', 'local', '--type', 'event'], { home, env });
    expect(lines(kept.stdout).map(({ userId }) => userId)).toEqual(['mine']);
  });
});

// An export reads the service that the settings name, which is this machine's where they name none.
describe.each(['export', 'reset'])('svc data %s', (what) => {
  const yes = what === 'reset' ? ['--yes'] : [];

  it.each<[string, string[], Record<string, string>, string]>([
    [
      '--profile local',
      ['--profile', 'local'],
      { SVC_BASE_URL: 'https://eu.test', SVC_DATABASE_URL: 'x.db' },
      'eu',
    ],
    ['SVC_PROFILE=local', [], { SVC_PROFILE: 'local', SVC_DATABASE_URL: 'x.db' }, 'eu'],
    ['the profile in use', [], {}, 'local'],
    ['--database', ['--database', 'data/service.db'], { SVC_PROFILE: 'eu' }, 'eu'],
  ])('works on the data of this machine by %s', async (_, argv, env, current) => {
    // In processes of their own, as above.
    const svc = await builtSvc();
    const home = tempDir();
    await withData(current, (...words) => runProcess(svc, words, { home }), home);
    const words = argv.map((word) => (word === 'data/service.db' ? join(home, word) : word));
    const run = await runProcess(svc, ['data', what, ...yes, ...words], { home, env });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(what === 'reset' ? 'removed the data' : '"userId":"mine"');
    expect(existsSync(join(home, 'data', 'service.db'))).toBe(what === 'export');
  });
});
