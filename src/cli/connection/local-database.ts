import { LOCAL, Profiles } from '../../profiles/profiles.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { databaseOf } from './database.ts';
import type { Paths } from './paths.ts';
import { type ConnectionFlags, isLoopback, namedProfile } from './settings.ts';

/**
 * Returns the database of a command that works only on data of this machine: --database, the data of `local`, or
 * SVC_DATABASE_URL beside a service on a loopback address. Where no service is selected, the data that `svc serve` would
 * serve. Throws usage where a remote service is selected: local data could be mistaken for its data. `name` is the flag of
 * the command that names a database.
 */
export function localDatabase(
  flags: ConnectionFlags & { readonly database?: string | undefined },
  world: Pick<World, 'env' | 'cwd'>,
  paths: Paths,
  out: Output,
  name = '--database',
): string {
  const selected = selectedData(flags, world, paths);
  if (typeof selected === 'object') throw remoteServiceError(selected.remote, name);
  return selected === 'local' ? paths.database : databaseOf(flags.database, world, paths, out, name);
}

/**
 * Whether flags, environment or profile select the data of `local`, other data of this machine, or a remote service, with
 * what selects it.
 */
export function selectedData(
  flags: ConnectionFlags & { readonly database?: string | undefined },
  world: Pick<World, 'env'>,
  paths: Paths,
): 'local' | 'other' | { readonly remote: string } {
  const typed = (['base-url', 'workspace', 'region'] as const).find((name) => flags[name] !== undefined);
  if (typed !== undefined) return { remote: `--${typed}` };
  if (flags.profile !== undefined && flags.profile !== LOCAL) return { remote: `--profile ${flags.profile}` };
  if (flags.database !== undefined) return 'other';
  if (flags.profile === LOCAL) return 'local';
  const { SVC_BASE_URL: baseUrl, SVC_DATABASE_URL: database } = world.env;
  if (baseUrl) return database && isOnThisMachine(baseUrl) ? 'other' : { remote: 'SVC_BASE_URL' };
  const named = namedProfile(flags, world);
  const profile = named?.profile ?? new Profiles(paths.configDir).read().current;
  if (profile === undefined) return 'other';
  if (profile === LOCAL) return 'local';
  return { remote: named ? `${named.by}=${profile}` : `${profile}, the profile in use,` };
}

function isOnThisMachine(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

/** The error for a remote service. Its hint omits --yes, which was typed for other data. */
export function remoteServiceError(by: string, name = '--database'): SvcError {
  return new SvcError(
    'usage',
    `${by} selects a remote service, but this command works only on data of this machine`,
    {
      hint: ({ command }) =>
        `for the data of the local service: svc ${command} --profile local\nor name other data: svc ${command} ${name} FILE`,
    },
  );
}
