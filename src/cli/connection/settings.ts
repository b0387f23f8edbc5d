import { LOCAL, type Profile, Profiles } from '../../profiles/profiles.ts';
import { SvcError } from '../errors/svc-error.ts';
import { describeOrigin, giveKey, giveSetting, type Origin } from '../invocation/origin.ts';
import type { Setting, Settings } from '../invocation/settings.ts';
import type { World } from '../terminal/world.ts';
import { pathsOf } from './paths.ts';

export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly workspace?: string | undefined;
  readonly region?: string | undefined;
}

/** The sources of each setting; the first wins: flag, environment, profile. */
const SOURCES = {
  baseUrl: { flag: 'base-url', variable: 'SVC_BASE_URL' },
  workspace: { flag: 'workspace', variable: 'SVC_WORKSPACE' },
  apiKey: { flag: undefined, variable: 'SVC_API_KEY' },
  region: { flag: 'region', variable: 'SVC_REGION' },
} as const satisfies Record<Setting, { flag: string | undefined; variable: string }>;

/** Resolves the settings of a call. Throws not_configured, usage. */
export function resolveSettings(flags: ConnectionFlags, world: Pick<World, 'env'>): Settings {
  const { env } = world;
  const exported = {
    baseUrl: env.SVC_BASE_URL,
    workspace: env.SVC_WORKSPACE,
    apiKey: env.SVC_API_KEY,
    region: env.SVC_REGION,
  };
  const given = (setting: Setting) => {
    const { flag, variable } = SOURCES[setting];
    if (flag !== undefined && flags[flag] !== undefined)
      return { value: flags[flag], origin: { from: 'flag', name: `--${flag}` } as const };
    const value = exported[setting] || undefined;
    return value === undefined
      ? undefined
      : { value, origin: { from: 'environment', name: variable } as const };
  };
  const named = namedProfile(flags, world);
  const complete = given('baseUrl') && given('workspace') && given('apiKey');
  // Read the profiles only where they can matter, to save start-up time.
  const { name, profile } =
    complete && named === undefined ? NO_PROFILE : findProfile(named, complete !== undefined, world);
  // `--profile local` means this machine also where the environment names a service: local has no address to override.
  const overridden = flags.profile === LOCAL ? flags['base-url'] : given('baseUrl');
  if (name === LOCAL && overridden === undefined)
    return { kind: 'local', by: named?.by ?? 'svc profiles use' };
  const setting = (which: Setting) => {
    const own = profile?.[which];
    return (
      given(which) ??
      (own === undefined ? undefined : { value: own, origin: { from: 'profile', name: name! } as const })
    );
  };
  const [baseUrl, workspace, apiKey] = [setting('baseUrl'), setting('workspace'), setting('apiKey')];
  if (!baseUrl || !workspace)
    throw new SvcError('not_configured', missingText(baseUrl?.value, workspace?.value), {
      hint: (invocation) =>
        `add a profile: svc profiles add NAME --workspace W --region R --base-url U\nor use the service on this machine: ${invocation.locally()}`,
    });
  const used = profile && name;
  if (!apiKey)
    throw new SvcError('not_configured', `there is no API key for ${baseUrl.value}`, {
      hint: `give one: ${giveKey(used)}`,
    });
  const address = checkAddress(baseUrl.value, baseUrl.origin);
  checkWorkspace(workspace.value, workspace.origin);
  checkKey(apiKey.value, apiKey.origin);
  const { sandbox = false, keysHonoured: idempotent = false } = profile ?? {};
  const { acceptAnyAnswer = false, eventIds = false } = profile ?? {};
  const region = setting('region');
  return {
    kind: 'remote',
    profile: used,
    baseUrl: address,
    workspace: workspace.value,
    apiKey: apiKey.value,
    region: region?.value,
    sandbox,
    idempotent,
    acceptAnyAnswer,
    eventIds,
    named,
    origins: {
      baseUrl: baseUrl.origin,
      workspace: workspace.origin,
      apiKey: apiKey.origin,
      ...(region ? { region: region.origin } : {}),
    },
  };
}

/** Returns the profile that --profile or SVC_PROFILE names, and which of the two names it. */
export function namedProfile(
  flags: Pick<ConnectionFlags, 'profile'>,
  { env }: Pick<World, 'env'>,
): Extract<Settings, { kind: 'remote' }>['named'] {
  if (flags.profile !== undefined) return { profile: flags.profile, by: '--profile' };
  return env.SVC_PROFILE ? { profile: env.SVC_PROFILE, by: 'SVC_PROFILE' } : undefined;
}

/** Returns the variables that override a named profile, `SVC_BASE_URL, SVC_API_KEY`; undefined where there are none. */
export function overridingVariables({
  named,
  origins,
}: Extract<Settings, { kind: 'remote' }>): string | undefined {
  const set = Object.values(origins).filter(({ from }) => from === 'environment');
  return named === undefined || set.length === 0 ? undefined : set.map(({ name }) => name).join(', ');
}

const NO_PROFILE = { name: undefined, profile: undefined };

/** Returns what is missing: the workspace, the base URL, or both. Set both, or neither. */
function missingText(baseUrl: string | undefined, workspace: string | undefined): string {
  if (baseUrl !== undefined) return `no workspace is named for ${baseUrl}: set SVC_WORKSPACE`;
  if (workspace !== undefined) return `no address is named for workspace ${workspace}: set SVC_BASE_URL`;
  return 'no profile is in use, and the environment names no service';
}

function findProfile(
  named: ReturnType<typeof namedProfile>,
  optional: boolean,
  world: Pick<World, 'env'>,
): { name: string | undefined; profile: Profile | undefined } {
  if (named?.profile === LOCAL) return { name: LOCAL, profile: undefined };
  const { current, profiles } = new Profiles(pathsOf(world).configDir).read();
  const name = named?.profile ?? current;
  if (name === undefined || name === LOCAL) return { name, profile: undefined };
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile && !optional) {
    const by = named?.by === 'SVC_PROFILE' ? ', which SVC_PROFILE names' : '';
    throw new SvcError('not_configured', `there is no profile ${name}${by}`, {
      hint: (invocation) =>
        `list the profiles: svc profiles list\nor use the service on this machine: ${invocation.locally()}`,
    });
  }
  return { name, profile };
}

/**
 * Checks a base URL and returns it in its one spelling, as imports and limits are stored by it: without a final `/`, and
 * with a scheme where it has none: http for a loopback address, else https. Plain http is allowed for loopback addresses
 * only. Throws usage.
 */
export function checkAddress(given: string, origin: Origin = { from: 'flag', name: '--base-url' }): string {
  const baseUrl = withScheme(given);
  const give = (value: string) => giveSetting('base-url', value, origin);
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new SvcError('usage', `the base URL ${JSON.stringify(baseUrl)} is not a URL`, {
      hint: `give one, such as: ${give('https://eu.example.com')}`,
    });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new SvcError('usage', `the base URL ${baseUrl} is neither https nor http`, {
      hint: `give one, such as: ${give('https://eu.example.com')}`,
    });
  }
  if (url.username || url.password) {
    throw new SvcError('usage', 'the base URL holds a user name or password', {
      hint: `the key goes in SVC_API_KEY or the profile; leave it out here: ${give(`${url.protocol}//${url.host}${url.pathname}`)}`,
    });
  }
  if (url.search || url.hash) {
    throw new SvcError(
      'usage',
      `the base URL ${baseUrl} holds a query or a fragment, which no call can use`,
      {
        hint: `leave it out: ${give(`${url.origin}${url.pathname.replace(/\/+$/, '')}`)}`,
      },
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new SvcError('usage', `the key would travel unencrypted to ${url.host}`, {
      hint: `plain http is for loopback addresses only: ${give(`https://${url.host}${path}`)}`,
    });
  }
  return `${url.origin}${path}`;
}

/** A host that is unlike a word: `localhost`, with a dot, a port or brackets; `localhost:4010` would be a URL otherwise. */
const HOST_WITHOUT_SCHEME = /^(localhost|\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)+|[\w-]+(?=:\d))(:\d+)?(\/|$)/i;

function withScheme(address: string): string {
  if (!HOST_WITHOUT_SCHEME.test(address) || !URL.canParse(`http://${address}`)) return address;
  return `${isLoopback(new URL(`http://${address}`).hostname) ? 'http' : 'https'}://${address}`;
}

/** Characters that a header carries unchanged. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const UNPRINTABLE = 'is empty or holds spaces or other characters that a header cannot carry';

/** Checks that a key fits in a header. Omit `origin` for a key that was just typed. Throws usage. */
export function checkKey(apiKey: string, origin?: Origin): void {
  if (PRINTABLE.test(apiKey)) return;
  const from = origin === undefined ? '' : ` of ${describeOrigin(origin)}`;
  const again = origin && giveKey(origin.from === 'profile' ? origin.name : undefined);
  throw new SvcError('usage', `the API key${from} ${UNPRINTABLE}`, {
    hint: `copy it again, alone on its line${again === undefined ? '' : `: ${again}`}`,
  });
}

/** Checks that a workspace fits in a header. Throws usage. */
export function checkWorkspace(
  workspace: string,
  origin: Origin = { from: 'flag', name: '--workspace' },
): void {
  if (PRINTABLE.test(workspace)) return;
  throw new SvcError('usage', `the workspace ${JSON.stringify(workspace)} ${UNPRINTABLE}`, {
    hint: `name it as the service does: ${giveSetting('workspace', 'WORKSPACE', origin)}`,
  });
}

/** Returns whether the host name of a URL is `localhost` or a loopback address. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}
