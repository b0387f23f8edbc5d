import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RUN_AS } from '../support/postgres/postgres-programs.ts';
import { builtProgram } from '../support/process/built-svc.ts';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/** libsql and what it loads. */
const NATIVE = ['libsql', '@libsql', '@neon-rs', 'detect-libc'].map((name) => join('node_modules', name));

/**
 * The packed program with its native part and a copy of node, in folders that are read-only and readable for all users:
 * the checkout and the node that runs the tests may be in the home of root.
 */
const install = mkdtempSync(join(tmpdir(), 'svc-read-only-'));
const program = join(install, 'node');

beforeAll(async () => {
  for (const part of NATIVE)
    cpSync(join(ROOT, part), join(install, part), { recursive: true, dereference: true });
  copyFileSync(process.execPath, program);
  const built = await builtProgram();
  for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json'])
    cpSync(join(built, part), join(install, part), { recursive: true });
  for (const path of everything())
    chmodSync(path, statSync(path).isDirectory() || path === program ? 0o555 : 0o444);
}, 300_000);

afterAll(() => {
  for (const path of everything()) if (statSync(path).isDirectory()) chmodSync(path, 0o755);
  rmSync(install, { recursive: true, force: true });
});

function everything(): string[] {
  const inside = readdirSync(install, { recursive: true, encoding: 'utf8' }).sort();
  return [install, ...inside.map((name) => join(install, name))];
}

/** All files with their inodes and modification times. */
const state = () => everything().map((path) => `${path} ${statSync(path).ino} ${statSync(path).mtimeMs}`);

/** A home of the user that runs the program: not root, which ignores permissions. */
function ownHome(mode = 0o700): string {
  const home = tempDir();
  if (RUN_AS.uid !== undefined) chownSync(home, RUN_AS.uid, RUN_AS.gid);
  chmodSync(home, mode);
  return home;
}

async function node(home: string, ...argv: string[]) {
  const env = { PATH: process.env.PATH, HOME: home };
  return promisify(execFile)(program, argv, { cwd: '/', env, ...RUN_AS });
}
const svc = (home: string, ...argv: string[]) => node(home, join(install, 'bin', 'run.js'), ...argv);
const decide = ['decide', '--hash-id', 'a'.repeat(64), '--profile', 'local', '--json', '--quiet'];

it('runs from a read-only install, also concurrently, without a message or a change', async () => {
  const write = `require('node:fs').writeFileSync(${JSON.stringify(join(install, 'dist', 'x'))}, '')`;
  await expect(node(ownHome(), '-e', write)).rejects.toMatchObject({
    stderr: expect.stringContaining('EACCES'),
  });
  const before = state();
  const home = ownHome();
  const both = await Promise.all([svc(home, ...decide), svc(home, ...decide)]);
  for (const { stdout, stderr } of both) {
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ decisionId: expect.any(String) });
  }
  const cache = join(home, '.cache', 'svc');
  const made = readdirSync(cache).map((name) => `${name} ${statSync(join(cache, name)).ino}`);
  expect(made.some((name) => name.startsWith('main.cjs-'))).toBe(true);
  expect((await svc(home, ...decide)).stderr).toBe('');
  expect(readdirSync(cache).map((name) => `${name} ${statSync(join(cache, name)).ino}`)).toEqual(made);
  expect(state()).toEqual(before);
}, 300_000);

it('runs with a read-only install and a read-only home', async () => {
  const before = state();
  for (const home of [ownHome(0o500), '/dev/null', '/no/such/home']) {
    const { stdout, stderr } = await svc(home, '--help');
    expect(stderr).toBe('');
    expect(stdout).toContain('events import');
  }
  expect(state()).toEqual(before);
}, 300_000);
