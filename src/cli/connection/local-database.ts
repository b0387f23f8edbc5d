import { LOCAL, Profiles } from '../../profiles/profiles.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { databaseOf } from './database.ts';
import type { Paths } from './paths.ts';
import { type ConnectionFlags, isLoopback, namedProfile } from './settings.ts';

/**
 * Returns the database of a command that only reads data on this machine: --database, the data of `local`, or
 * SVC_DATABASE_URL beside a service on a loopback address. Where no service is selected, the data that `svc serve` would
 * serve. Throws usage where a remote service is selected: local data could be mistaken for its data.
 */
export function localDatabase(
  flags: ConnectionFlags & { readonly database?: string | undefined },
  world: Pick<World, 'env' | 'cwd'>,
  paths: Paths,
  out: Output,
): string {
  const typed = (['base-url', 'workspace', 'region'] as const).find((name) => flags[name] !== undefined);
  if (typed !== undefined) throw remoteServiceError(`--${typed}`);
  if (flags.profile !== undefined && flags.profile !== LOCAL)
    throw remoteServiceError(`--profile ${flags.profile}`);
  if (flags.database !== undefined) return databaseOf(flags.database, world, paths, out);
  if (flags.profile === LOCAL) return paths.database;
  const { SVC_BASE_URL: baseUrl, SVC_DATABASE_URL: database } = world.env;
  if (baseUrl) {
    if (!database || !isOnThisMachine(baseUrl)) throw remoteServiceError('SVC_BASE_URL');
  } else {
    const named = namedProfile(flags, world);
    const profile = named?.profile ?? new Profiles(paths.configDir).read().current;
    if (profile === LOCAL) return paths.database;
    if (profile !== undefined)
      throw remoteServiceError(named ? `${named.by}=${profile}` : `${profile}, the profile in use,`);
  }
  return databaseOf(undefined, world, paths, out);
}

function isOnThisMachine(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

/** The error for a remote service. Its hint omits --yes, which was typed for other data. */
function remoteServiceError(by: string): SvcError {
  return new SvcError(
    'usage',
    `${by} selects a remote service, but this command works only on data of this machine`,
    {
      hint: ({ command }) =>
        `for the data of the local service: svc ${command} --profile local\nor name other data: svc ${command} --database FILE`,
    },
  );
}
