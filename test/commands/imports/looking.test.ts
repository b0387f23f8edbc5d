import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

const LIBSQL = import.meta.resolve('libsql');

/** A machine with an import that finished; its journal is at `journal`. */
async function machine() {
  const home = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home });
  writeFileSync(join(home, 'a.ndjson'), '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n');
  const ran = await svc('events', 'import', 'a.ndjson', '-p', 'local');
  expect(ran.code, ran.stderr).toBe(0);
  const folder = join(home, 'data', 'imports');
  const journal = join(folder, readdirSync(folder).find((name) => name.endsWith('.journal'))!);
  const files = () =>
    readdirSync(folder)
      .filter((name) => /\.journal(-wal)?$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
  const states = async () =>
    JSON.parse((await svc('imports', 'list', '--json')).stdout).imports.map(
      ({ state, acknowledged }: Record<string, unknown>) => [state, acknowledged],
    );
  return { home, svc, journal, files, states };
}

/** Runs a script with the journal open in a process of its own; resolves when it prints a line. */
async function holding(journal: string, script: string) {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import Database from ${JSON.stringify(LIBSQL)}; const db = new Database(${JSON.stringify(journal)}); ${script}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return { child, ended };
}

it('reads the journal of a killed import, and changes none of its files', async () => {
  const { journal, files, states } = await machine();
  const { ended } = await holding(
    journal,
    `db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; UPDATE batch SET records = 7');
     console.log('up'); process.kill(process.pid, 'SIGKILL');`,
  );
  await ended;
  const before = files();
  expect(before).toHaveLength(2);
  expect(await states()).toEqual([['finished', 7]]);
  expect(files()).toEqual(before);
});

it('an import starts while a command reads its journal', async () => {
  const { svc, journal } = await machine();
  const { ended } = await holding(
    journal,
    `db.exec('BEGIN; SELECT * FROM import'); console.log('up'); setTimeout(() => process.exit(), 300);`,
  );
  const run = await svc('events', 'import', 'a.ndjson', '-p', 'local', '--resume');
  expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('another process')]);
  await ended;
});

it('a full disk makes no journal unusable, and takes nothing from it', async () => {
  const { home, journal, files, states } = await machine();
  const program = await svcProgram();
  const env = { HOME: home, SVC_DATA_DIR: join(home, 'data'), PATH: process.env.PATH! };
  const full = async (...argv: string[]) => {
    const shell = `trap '' 25; ulimit -f 0; "$@" | cat`;
    return program.start([...argv, '--json'], { env, cwd: home, shell }).ended;
  };
  const listed = async () => JSON.parse((await full('imports', 'list')).stdout).imports;
  expect(await listed()).toEqual([expect.objectContaining({ state: 'finished', acknowledged: 1 })]);
  // What a killed import leaves behind is read with a file of SQLite that does not fit.
  await (
    await holding(
      journal,
      `db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; UPDATE batch SET records = 7');
       console.log('up'); process.kill(process.pid, 'SIGKILL');`,
    )
  ).ended;
  const before = files();
  expect(await listed()).toEqual([expect.objectContaining({ state: 'unreadable', acknowledged: null })]);
  await full('imports', 'forget', '--finished');
  expect(files()).toEqual(before);
  expect(await states()).toEqual([['finished', 7]]);
});
