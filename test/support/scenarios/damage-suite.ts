import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SvcProgram } from '../process/svc-process.ts';
import { DAMAGES, type Damage, furnish, IMPORT, runDamaged } from './damage.ts';

interface Subject {
  /** Path relative to the home. */
  readonly file: string;
  readonly commands: readonly (readonly string[])[];
  /** Damages that a command may tolerate. */
  readonly harmless?: readonly Damage[];
  /** A cache: it may be replaced, and must not fail a command. */
  readonly cache?: boolean;
}

/** A home that was prepared at `home` and moved to `template`. */
export interface Furnished {
  readonly home: string;
  readonly template: string;
  release(): void;
}

/** Prepares a home that other users can access. */
export async function furnished(program: SvcProgram): Promise<Furnished> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-damage-'));
  chmodSync(dir, 0o755);
  const home = join(dir, 'home');
  const template = join(dir, 'template');
  await furnish(program, home);
  renameSync(home, template);
  return { home, template, release: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The files of a user, and the commands that need them. */
function subjects(template: string): Subject[] {
  const journal = readdirSync(join(template, 'data/imports')).find((name) => name.endsWith('.journal'))!;
  const scope = readdirSync(join(template, 'data/limits'))[0]!;
  const limits = readdirSync(join(template, 'data/limits', scope));
  return [
    {
      file: 'data/service.db',
      commands: [
        ['decide', '--hash-id', 'a'.repeat(64), '-p', 'local'],
        ['data', 'export', '-p', 'local'],
        [...IMPORT, '--restart'],
        ['serve', '--port', '0'],
      ],
      harmless: ['read-only'],
    },
    {
      file: 'data/service.db.credentials.json',
      commands: [['decide', '--hash-id', 'a'.repeat(64), '-p', 'local']],
      harmless: ['read-only'],
    },
    {
      file: 'data/service.db.key',
      commands: [['decide', '--hash-id', 'a'.repeat(64), '-p', 'local']],
      harmless: ['read-only'],
    },
    {
      file: 'config/profiles.json',
      commands: [
        ['profiles', 'list'],
        ['profiles', 'remove', 'eu'],
        ['profiles', 'show', 'eu'],
      ],
      harmless: ['read-only'],
    },
    {
      file: 'config/profiles.lock',
      commands: [['profiles', 'use', 'eu']],
      // It is empty.
      harmless: [
        'cut short',
        'cut within a page',
        'emptied',
        'overwritten with random bytes',
        'first bits flipped',
        'read-only',
      ],
    },
    // An empty journal is a new one.
    {
      file: `data/imports/${journal}`,
      commands: [[...IMPORT, '--resume'], IMPORT],
      harmless: ['emptied'],
    },
    ...limits.map((name) => ({
      file: `data/limits/${scope}/${name}`,
      commands: [
        ['limits', '-p', 'local'],
        ['decide', '--hash-id', 'a'.repeat(64), '-p', 'local'],
      ],
      cache: true,
    })),
  ];
}

/** Applies every `every`-th pair of damage and file. Returns the number of runs and the violations as text. */
export async function suffer(
  program: SvcProgram,
  { home, template }: Furnished,
  every = 1,
): Promise<{ runs: number; faults: string[] }> {
  const faults: string[] = [];
  let runs = 0;
  let next = 0;
  for (const { file, commands, harmless = [], cache = false } of subjects(template)) {
    for (const argv of commands) {
      for (const name of Object.keys(DAMAGES) as Damage[]) {
        if (next++ % every !== 0) continue;
        // It would start to serve.
        if (argv[0] === 'serve' && harmless.includes(name)) continue;
        runs++;
        const outcome = await runDamaged(program, template, home, file, DAMAGES[name], argv);
        const { code, signal, error, kept, stderr } = outcome;
        const where = `${file}, ${name}: svc ${argv.join(' ')}`;
        if (code === null) faults.push(`${where}: ended by ${signal}`);
        if (!kept && !cache && !harmless.includes(name)) faults.push(`${where}: the file was changed`);
        if (code === 0) {
          if (!cache && !harmless.includes(name)) faults.push(`${where}: did not report the damage`);
          continue;
        }
        if (cache) faults.push(`${where}: failed because of a cache: ${stderr}`);
        if (!error) faults.push(`${where}: no error message: ${stderr}`);
        else if (error.code === 'unexpected' || !error.message.includes(basename(file)) || !error.hint)
          faults.push(`${where}: ${error.code}: ${error.message} (${error.hint})`);
      }
    }
  }
  return { runs, faults };
}
