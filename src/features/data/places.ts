import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { databaseError, databaseOf } from '../../cli/connection/database.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import type { Paths } from '../../cli/connection/paths.ts';
import type { ConnectionFlags } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { Redraw } from '../../cli/terminal/redraw.ts';
import { span } from '../../cli/terminal/time.ts';
import type { World } from '../../cli/terminal/world.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { shell } from '../../kit/shell.ts';
import type { CopyProgress, DataPlace } from '../../service/admin/admin.ts';

interface Call {
  readonly flags: ConnectionFlags;
  readonly world: World;
  readonly paths: Paths;
  readonly out: Output;
}

/** A database on this machine or a PostgreSQL server, with its files here. Throws usage or file. */
export function placeOf(database: string, { world, paths }: Pick<Call, 'world' | 'paths'>): DataPlace {
  return {
    database: isServer(database) ? database : resolve(world.cwd, database),
    dataDir: paths.dataDir,
    dataKey: world.env.SVC_DATA_KEY || undefined,
  };
}

/** The database that is read: the one that the flag `name` names, or that of `local`. Throws usage, or file where there is none. */
export function sourceOf(given: string | undefined, call: Call, name = '--database'): DataPlace {
  const { flags, world, paths, out } = call;
  // `--workspace` names what is read of it, not a remote service.
  const database =
    given === undefined
      ? localDatabase({ ...flags, workspace: undefined }, world, paths, out, name)
      : databaseOf(given, world, paths, out, name);
  const place = placeOf(database, call);
  if (!isServer(database) && !existsSync(place.database))
    throw new SvcError('file', `${database} does not exist`, {
      hint: '`svc serve` and commands with --profile local create data; name another file or URL',
    });
  return place;
}

/** In place of the global flag: what it names is read of the database, and there may be several. */
export const workspaceFlag = {
  workspace: Flags.string({
    summary: 'workspace to copy; all if omitted',
    helpValue: 'ID',
    multiple: true,
  }),
};

/** The workspaces that `--workspace` names; empty for all. */
export const workspacesIn = ({ workspace }: { readonly workspace?: unknown }): string[] =>
  [workspace ?? []]
    .flat()
    .flatMap((text) => String(text).split(','))
    .filter((id) => id !== '');

const isServer = (database: string) => /^postgres(ql)?:\/\//i.test(database);

/** A database as messages name it. */
export const shown = (database: string): string => maskUrl(database);

const HINTS: Readonly<Record<string, string>> = {
  no_workspace: 'list them: svc workspaces list --database FILE',
  exists: 'name another target, or other workspaces with --workspace',
  other_key:
    'give the key that belongs to the data: read -rs SVC_DATA_KEY && export SVC_DATA_KEY; data cannot be encrypted with another one, because hashes of suppressed addresses depend on the key',
  other_clock: 'copy into a database of its own',
  running: 'wait for it, or stop it; a process that was killed is forgotten after 30 s',
  unfinished: 'repeat the command that began it',
};

/**
 * Turns an error of a copy into one for people. `reopen` is the command that opens a frozen workspace in the source. Returns
 * any other error as `databaseError` does. `flag` is the one that names the database.
 */
export function copyError(
  error: unknown,
  database: string,
  flag: string,
  reopen?: (workspace: string) => string,
): unknown {
  const { name, message, reason, workspaces } = error as Error & { reason?: string; workspaces?: string[] };
  if (name === 'SourceFrozen')
    return new SvcError('unavailable', message, {
      hint: (invocation) =>
        [
          `repeat it, which opens the target: ${invocation.rerunWith()}`,
          shell`or, if they are still frozen in the target (svc workspaces list --database ${shown(database)}), use the source again:`,
          ...workspaces!.map(reopen!),
        ].join('\n'),
      cause: error,
    });
  if (name === 'CopyRefused')
    return new SvcError('usage', `nothing was copied: ${message}`, { hint: HINTS[reason!]!, cause: error });
  if (name === 'CopyDiffers')
    return new SvcError(
      'unavailable',
      `the copy is not complete, and its workspaces stay frozen: ${message}`,
      {
        hint: (invocation) => `repeat it: ${invocation.rerunWith()}`,
        cause: error,
      },
    );
  if (name === 'BackupDamaged')
    return new SvcError('data', `nothing was restored: ${message}`, {
      hint: 'use another backup',
      cause: error,
    });
  const translated = databaseError(error, database, flag);
  // What the target has by then stays frozen there.
  if (translated instanceof SvcError && name === 'StoreUnavailable' && isServer(database))
    return new SvcError(translated.code, translated.message, {
      hint: (invocation) => {
        const hint = translated.hintFor(invocation);
        const again = invocation.rerunWith();
        return hint.includes(again) ? hint : `${hint}\nthen repeat it, which goes on where it was: ${again}`;
      },
      cause: error,
    });
  return translated;
}

const PHASES = { copy: 'copying', freeze: 'freezing the source', compare: 'comparing' } as const;

/** Runs a copy and shows how far it is, until its end and on a terminal only. */
export async function withProgress<T>(
  { world, out }: Pick<Call, 'world' | 'out'>,
  copy: (onProgress: (progress: CopyProgress) => void) => Promise<T>,
): Promise<T> {
  if (world.stderr.isTTY !== true || out.quiet || out.json) return copy(() => {});
  const redraw = new Redraw(world.stderr);
  let since = world.clock.now();
  let phase = '';
  let drawnAt = 0;
  let ended = false;
  try {
    return await copy((progress) => {
      const now = world.clock.now();
      // Of two statements that ran together, one may go on after the other one failed.
      if (ended) return;
      if (progress.phase !== phase) since = now;
      else if (now - drawnAt < 100) return;
      phase = progress.phase;
      drawnAt = now;
      redraw.draw(progressText(progress, now - since));
    });
  } finally {
    ended = true;
    redraw.clear();
  }
}

/** How far a copy is, in words, with the time that is left at the pace so far. */
function progressText({ phase, table, rows, of }: CopyProgress, elapsedMs: number): string {
  if (phase === 'freeze') return PHASES.freeze;
  const left = rows === 0 ? 0 : (elapsedMs * (of - rows)) / rows;
  const time = left >= 1000 ? `, about ${span(left)} left` : '';
  return `${PHASES[phase]} ${table}: ${rows.toLocaleString('en-US')} of ${of.toLocaleString('en-US')} rows${time}`;
}
