import { LOCAL, type Profile, Profiles } from '../profiles/profiles.ts';
import { SvcError } from './errors.ts';
import { pathsOf } from './paths.ts';
import type { World } from './world.ts';

export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly workspace?: string | undefined;
  readonly region?: string | undefined;
}

/** Where calls go and as whom: flag, then environment, then profile. */
export type Settings =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'remote';
      /** Undefined where the environment and flags suffice. */
      readonly profile: string | undefined;
      readonly baseUrl: string;
      readonly workspace: string;
      readonly apiKey: string;
      readonly region: string | undefined;
      readonly sandbox: boolean;
      readonly keysHonoured: boolean;
    };

/** Finds the settings of a call. Throws not_configured, usage. */
export function resolveSettings(flags: ConnectionFlags, world: World): Settings {
  const { env } = world;
  const base = {
    baseUrl: flags['base-url'] ?? (env.SVC_BASE_URL || undefined),
    workspace: flags.workspace ?? (env.SVC_WORKSPACE || undefined),
    apiKey: env.SVC_API_KEY || undefined,
    region: flags.region ?? (env.SVC_REGION || undefined),
  };
  const named = flags.profile ?? (env.SVC_PROFILE || undefined);
  const complete = base.baseUrl !== undefined && base.workspace !== undefined && base.apiKey !== undefined;
  // Reading the profiles costs start-up time: only where they can matter.
  const { name, profile } =
    complete && named === undefined
      ? { name: undefined, profile: undefined }
      : findProfile(named, complete, world);
  // `--profile local` means this machine also where the environment names a service: local has no address to override.
  const overridden = flags.profile === LOCAL ? flags['base-url'] : base.baseUrl;
  if (name === LOCAL && overridden === undefined) return { kind: 'local' };
  const baseUrl = base.baseUrl ?? profile?.baseUrl;
  const workspace = base.workspace ?? profile?.workspace;
  const apiKey = base.apiKey ?? profile?.apiKey;
  if (baseUrl === undefined || workspace === undefined) {
    throw new SvcError(
      'not_configured',
      name === undefined
        ? unnamed(baseUrl, workspace)
        : `profile ${name} names no ${baseUrl === undefined ? 'base URL' : 'workspace'}`,
      {
        hint: 'run `svc profiles add NAME --workspace W --region R --base-url U`, or add `--profile local` to use the service on this machine',
      },
    );
  }
  if (apiKey === undefined) {
    throw new SvcError('not_configured', `there is no API key for ${baseUrl}`, {
      hint:
        name === undefined || name === LOCAL
          ? 'export SVC_API_KEY=…'
          : `export SVC_API_KEY=…, or run \`svc profiles add ${name} --workspace ${workspace} --base-url ${baseUrl} --api-key-stdin\``,
    });
  }
  checkAddress(baseUrl);
  const { sandbox = false, keysHonoured = false } = profile ?? {};
  return {
    kind: 'remote',
    profile: name,
    baseUrl,
    workspace,
    apiKey,
    region: base.region ?? profile?.region,
    sandbox,
    keysHonoured,
  };
}

/** What is missing where no profile is in use: half a service is a slip, and other words help than none at all. */
function unnamed(baseUrl: string | undefined, workspace: string | undefined): string {
  if (baseUrl !== undefined) return `no workspace is named for ${baseUrl}: set SVC_WORKSPACE`;
  if (workspace !== undefined) return `no address is named for workspace ${workspace}: set SVC_BASE_URL`;
  return 'no profile is in use, and the environment names no service';
}

function findProfile(
  named: string | undefined,
  optional: boolean,
  world: World,
): { name: string | undefined; profile: Profile | undefined } {
  if (named === LOCAL) return { name: LOCAL, profile: undefined };
  const { current, profiles } = new Profiles(pathsOf(world).configDir).read();
  const name = named ?? current;
  if (name === undefined || name === LOCAL) return { name, profile: undefined };
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile && !optional) {
    throw new SvcError('not_configured', `there is no profile ${name}`, {
      hint: 'see `svc profiles list`, or use `--profile local`',
    });
  }
  return { name, profile };
}

/** A key goes over plain http to a loopback address only. Throws usage. */
export function checkAddress(baseUrl: string): void {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new SvcError('usage', `the base URL ${JSON.stringify(baseUrl)} is not a URL`, {
      hint: 'give one such as https://eu.example.com',
    });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new SvcError('usage', `the base URL ${baseUrl} is neither https nor http`, {
      hint: 'give one such as https://eu.example.com',
    });
  }
  if (url.username || url.password) {
    throw new SvcError('usage', 'the base URL holds a user name or password', {
      hint: 'leave it out: the key goes in SVC_API_KEY or the profile',
    });
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new SvcError('usage', `the key would travel unencrypted to ${url.host}`, {
      hint: `use https://${url.host}; plain http is for loopback addresses only`,
    });
  }
}

/** True for the loopback addresses and `localhost`, as they stand in a URL. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}
