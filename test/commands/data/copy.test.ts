import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { migrateStore } from '../../../src/service/platform/open.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const WS = 'ws_1';

it('copies, backs up and restores the data of local, and says what is wrong', async () => {
  const home = tempDir();
  const run = async (line: string) =>
    runSvc(line.split(' '), { home, cwd: home, env: { SVC_PROFILE: 'local' } });
  const ok = async (line: string) => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    expect(code, `${line}: ${stderr}`).toBe(0);
    return JSON.parse(stdout);
  };
  const refused = async (line: string, code: number, words: string) => {
    const answer = await run(line);
    expect(answer, line).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(words);
    expect(answer.stderr).toContain('next:');
  };
  await ok('events send --user-id u --event e');
  const { workspaces } = await ok('workspaces list');
  const [{ workspace }] = workspaces;

  const dry = await ok('data copy --to copy.db --dry-run');
  expect(dry).toMatchObject({ dryRun: true, workspaces: [workspace] });
  expect(dry.tables.find(({ table }: { table: string }) => table === 'event')).toMatchObject({ rows: 1 });
  expect(existsSync(join(home, 'copy.db'))).toBe(false);
  const copied = await ok('data copy --to copy.db');
  expect(copied).toMatchObject({ workspaces: [workspace], frozenMs: null, rows: dry.rows, equal: true });
  const { workspaces: copies } = await ok(`workspaces list --database ${join(home, 'copy.db')}`);
  expect(copies[0].frozenAt ?? copies[0].frozen).toBeTruthy();
  // Before a key is written.
  writeFileSync(join(home, 'notes.txt'), 'not a database');
  await refused('data copy --to notes.txt', 2, 'notes.txt');
  expect(existsSync(join(home, 'notes.txt.key'))).toBe(false);
  await ok('workspaces create ws_other');
  await ok('workspaces create ws_third');
  const two = await ok('data copy --to two.db --workspace ws_other --workspace ws_third --resume');
  expect(two.workspaces).toEqual(['ws_other', 'ws_third']);
  await refused('data copy --to copy.db', 2, 'exists in the target already');
  await refused('data copy --from copy.db --to copy.db', 2, 'the same database');
  await refused('data copy --from none.db --to other.db', 2, 'does not exist');
  await refused('data copy --to none/other.db', 2, 'none');
  await refused('data copy --to other.db --workspace ws_none --yes', 2, 'no workspace ws_none');
  await refused('data copy --to other.db --freeze --no-input', 2, 'Freeze the source');

  // A copy that is frozen at the end: the source says so, until it is opened.
  expect(await ok('data copy --to moved.db --freeze --yes')).toMatchObject({ rows: expect.any(Number) });
  await refused('webhooks list --max-retries 0', 6, 'frozen');
  await ok(`workspaces open ${workspace}`);
  await ok('events send --user-id u --event e');
  await refused(`workspaces open ${WS}`, 2, `no workspace ${WS}`);

  await ok('data backup svc.backup');
  expect(statSync(join(home, 'svc.backup')).mode & 0o777).toBe(0o600);
  await refused('data backup svc.backup', 2, 'exists already');
  await ok('data backup svc.backup --force');
  mkdirSync(join(home, 'folder'));
  symlinkSync('svc.backup', join(home, 'link'));
  for (const other of ['folder', 'link'])
    await refused(`data backup ${other} --force`, 2, 'not a file that can be replaced');
  for (const other of ['-', 'postgres://u:secret@db/x']) {
    await refused(`data backup ${other} --force`, 2, 'a backup is a file');
    expect((await run(`data backup ${other}`)).stderr).not.toContain('secret');
  }
  expect(await ok('data restore svc.backup --database restored.db')).toMatchObject({
    workspaces: expect.arrayContaining([workspace]),
  });
  await refused('data restore svc.backup', 2, 'exists in the target already');
  const { checks } = await ok('doctor');
  expect(checks.find(({ check }: { check: string }) => check === 'backup')).toMatchObject({ status: 'ok' });
  await refused('data restore none.backup --database other.db', 2, 'none.backup');
  const bytes = readFileSync(join(home, 'svc.backup'));
  writeFileSync(join(home, 'cut.backup'), bytes.subarray(0, bytes.length - 1));
  await refused('data restore cut.backup --database other.db', 2, 'not a whole backup');
  expect(existsSync(join(home, 'other.db'))).toBe(false);
}, 120_000);

it('says that the source stays frozen where the target cannot be opened, and goes on', async () => {
  const home = tempDir();
  const run = (line: string) => runSvc(line.split(' '), { home, cwd: home, env: { SVC_PROFILE: 'local' } });
  await run('events send --user-id u --event e');
  const file = join(home, 'target.db');
  await migrateStore(file, systemClock);
  const target = new Database(file);
  target.exec(`CREATE TRIGGER fails BEFORE DELETE ON setting BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  const failed = await run('data copy --to target.db --freeze --yes');
  expect(failed).toMatchObject({ code: 6, stdout: '' });
  expect(failed.stderr).toContain('the source stays frozen');
  expect(failed.stderr).toMatch(/next: repeat it.*: svc data copy --to target.db --freeze --yes/);
  expect(failed.stderr).toMatch(/use the source again:\n.*svc workspaces open ws_/);
  expect((await run('webhooks list --max-retries 0')).stderr).toContain('frozen');
  const exported = () => run(`data export --type events --database ${file}`);
  const unfinished = await exported();
  expect(unfinished).toMatchObject({ code: 0, stdout: expect.stringContaining('"userId":"u"') });
  expect(unfinished.stderr).toMatch(/ws_\w+ is a copy that is not complete: records may be missing/);
  target.exec('DROP TRIGGER fails');
  target.close();
  expect(await run('data copy --to target.db --freeze --yes')).toMatchObject({ code: 0 });
  expect((await exported()).stderr).not.toContain('not complete');
  expect((await run(`workspaces list --database ${file} --json`)).stdout).toContain('"frozenAt":null');
}, 120_000);

it('names its own flags in errors', async () => {
  const home = tempDir();
  const run = (...argv: string[]) => runSvc(argv, { home, cwd: home, env: { SVC_PROFILE: 'local' } });
  await run('events', 'send', '--user-id', 'u', '--event', 'e');
  await run('data', 'backup', 'svc.backup');
  writeFileSync(join(home, 'notes.txt'), 'not a database');
  const url = 'postgres://u:secret@127.0.0.1:1/svc';
  const cases: [argv: string[], flag: string, words: string][] = [
    [['copy', '--to', 'mysql://h/svc'], '--to', 'is neither a file nor a postgres:// URL'],
    [['copy', '--from', 'mysql://h/svc', '--to', 'x.db'], '--from', 'is neither a file nor'],
    [['copy', '--to', 'postgres://u:a b@h:x/'], '--to', 'cannot be read'],
    [['copy', '--to', 'notes.txt'], '--to', 'notes.txt'],
    [['copy', '--from', 'notes.txt', '--to', 'x.db'], '--from', 'notes.txt'],
    [['copy', '--from', 'notes.txt', '--to', 'x.db', '--dry-run'], '--from', 'notes.txt'],
    [['copy', '--to', url], '--to', 'the password in --to can be seen'],
    [['copy', '--from', url, '--to', 'x.db'], '--from', 'the password in --from can be seen'],
    [['backup', 'new.backup', '--database', 'mysql://h/svc'], '--database', 'is neither a file nor'],
    [['restore', 'svc.backup', '--database', 'notes.txt'], '--database', 'notes.txt'],
  ];
  for (const [argv, flag, words] of cases) {
    const line = argv.join(' ');
    const { code, stdout, stderr } = await run('data', ...argv);
    expect({ code: code !== 0, stdout }, line).toEqual({ code: true, stdout: '' });
    expect(stderr, line).toContain(words);
    expect(stderr, line).not.toContain('secret');
    for (const other of ['--database', '--from', '--to'].filter((each) => each !== flag))
      if (!argv.includes(other)) expect(stderr, line).not.toContain(other);
    expect(stderr, line).toContain(flag);
  }
  expect(existsSync(join(home, 'x.db'))).toBe(false);
}, 120_000);

it('shows on a terminal how far it is, and leaves no progress above the result', async () => {
  const home = tempDir();
  const run = (line: string) =>
    runSvc(line.split(' '), { home, cwd: home, columns: 100, env: { SVC_PROFILE: 'local' } });
  await run('events send --user-id u --event e');
  for (const line of [
    'data copy --to copy.db',
    'data backup svc.backup',
    'data restore svc.backup --database restored.db',
    'data copy --to moved.db --freeze --yes',
  ]) {
    const { code, stderr } = await run(line);
    expect(code, stderr).toBe(0);
    expect(stderr, line).toMatch(/copying \w+: [\d,]+ of [\d,]+ rows/);
    // After the last line that was drawn, it and what is below it are erased.
    const after = stderr.slice(stderr.lastIndexOf(' rows'));
    expect(after, line).toMatch(/^[^\n]*\n\u001b\[0J\u001b\[1A\r\u001b\[0J/);
  }
}, 120_000);

it('advises nothing about the target where the source cannot be read', async () => {
  const home = tempDir();
  const run = (line: string) => runSvc(line.split(' '), { home, cwd: home, env: { SVC_PROFILE: 'local' } });
  const change = (file: string) => {
    const database = new Database(file);
    database.exec("UPDATE schema_version SET digest = 'other'");
    database.close();
  };
  await run('events send --user-id u --event e');
  await run('data copy --to source.db');
  change(join(home, 'source.db'));
  const copied = await run('data copy --from source.db --to target.db');
  expect(copied).toMatchObject({ code: 2, stdout: '' });
  expect(copied.stderr).not.toContain('target.db --yes');
  expect(existsSync(join(home, 'target.db'))).toBe(false);
}, 120_000);
