import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../src/kit/random.ts';
import type { SvcProgram } from '../process/svc-process.ts';

/** A user who is not the owner. If the tests run as root, commands run as this user. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

/** The ways in which a file is damaged. */
export const DAMAGES = {
  'cut short': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'cut to 10 bytes': (path) => truncateSync(path, 10),
  'cut within a page': (path) => truncateSync(path, Math.max(1, statSync(path).size - 100)),
  emptied: (path) => truncateSync(path, 0),
  'overwritten with random bytes': (path) => {
    const bytes = readFileSync(path);
    const random = seededRandom(path);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
    writeFileSync(path, bytes);
  },
  'first bits flipped': (path) => {
    const bytes = readFileSync(path);
    for (let i = 0; i < Math.min(bytes.length, 40); i += 3) bytes[i]! ^= 0x14;
    writeFileSync(path, bytes);
  },
  'a folder in its place': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'read-only': (path) => chmodSync(path, 0o444),
  'owned by another': (path) => {
    chmodSync(path, isRoot ? 0o600 : 0o000);
    if (isRoot) chownSync(path, 0, 0);
  },
} as const satisfies Record<string, (path: string) => void>;

export type Damage = keyof typeof DAMAGES;

export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The error as printed with `--json`. */
  readonly error: { code: string; message: string; hint: string } | undefined;
  /** True if the command left the damaged file unchanged. */
  readonly kept: boolean;
}

/** The unfinished import of a prepared home. */
export const IMPORT = ['events', 'import', 'events.ndjson', '-p', 'local', '--batch-size', '50'];

/** Prepares a home with data, an unfinished import, profiles and observed limits. */
export async function furnish(program: SvcProgram, home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  const event = (i: number) =>
    JSON.stringify({ userId: `u${i}`, event: 'opened', timestamp: '2026-01-01T00:00:00Z' });
  const lines = Array.from({ length: 300 }, (_, i) => (i === 280 ? '{"userId": 7}' : event(i)));
  writeFileSync(join(home, 'events.ndjson'), `${lines.join('\n')}\n`);
  const run = (...argv: string[]) => runIn(program, home, argv);
  // Stops at the invalid record: earlier batches are accepted, and the import is unfinished.
  await expectDone(run(...IMPORT, '--max-errors', '1'), 7);
  await expectDone(run('decide', '--hash-id', 'a'.repeat(64), '-p', 'local'));
  await expectDone(
    run(
      'profiles',
      'add',
      'eu',
      '--workspace',
      'ws_x',
      '--region',
      'eu',
      '--base-url',
      'https://eu.example.com',
    ),
  );
  if (isRoot) own(home);
}

async function expectDone(run: Promise<Omit<Outcome, 'kept'>>, expected = 0): Promise<void> {
  const { code, stderr } = await run;
  if (code !== expected) throw new Error(`cannot prepare the home: ${stderr}`);
}

function own(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name));
}

/** Runs a command in a home as an unprivileged user. */
async function runIn(
  program: SvcProgram,
  home: string,
  argv: readonly string[],
): Promise<Omit<Outcome, 'kept'>> {
  const asNobody = isRoot && statSync(home).uid === NOBODY;
  const { ended } = program.start([...argv, '--json'], {
    cwd: home,
    env: {
      PATH: process.env.PATH!,
      HOME: home,
      SVC_CONFIG_DIR: join(home, 'config'),
      SVC_DATA_DIR: join(home, 'data'),
      ...(argv[0] === 'profiles' ? { SVC_API_KEY: 'sk_test_0123456789abcdef' } : {}),
    },
    ...(asNobody ? { shell: `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"` } : {}),
  });
  const done = await ended;
  const line = done.stderr.split('\n').find((text) => text.startsWith('{"error"'));
  return { ...done, error: line === undefined ? undefined : JSON.parse(line).error };
}

/**
 * Copies the prepared home to its original path (an import is identified by the path of its input), damages one file in
 * it and runs a command there.
 */
export async function runDamaged(
  program: SvcProgram,
  template: string,
  home: string,
  file: string,
  damage: (path: string) => void,
  argv: readonly string[],
): Promise<Outcome> {
  cpSync(template, home, { recursive: true });
  if (isRoot) own(home);
  const path = join(home, file);
  damage(path);
  if (isRoot && damage !== DAMAGES['owned by another']) chownSync(path, NOBODY, NOBODY);
  const before = print(path);
  const outcome = await runIn(program, home, argv);
  const kept = print(path) === before;
  rmSync(home, { recursive: true, force: true });
  return { ...outcome, kept };
}

function print(path: string): string {
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (!state) return 'gone';
  if (state.isDirectory()) return 'folder';
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
