import { join } from 'node:path';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { World } from '../../cli/terminal/world.ts';
import { CLIENT_SCOPES, GROUP_LIMITS, GROUPS, WINDOW_MS } from '../../contract/limits.ts';
import { proxiesOf } from '../../service/http/access/client-address.ts';
import type { TlsFiles } from '../../service/http/tls.ts';
import { DEFAULT_POLICY, type Policy, type PolicyChange } from '../../service/platform/settings.ts';
import {
  RETAINED_LOGS,
  type RetainedLog,
  type Retention,
  retentionText,
} from '../../service/platform/store/retained-logs.ts';
import { type TracingSettings, tracingSettings } from '../../service/platform/tracing/settings.ts';
import type { ServiceOptions } from '../../service/start.ts';

/** The script for web pages that the build made, which the service serves. */
export const appScriptIn = (root: string): string => join(root, 'dist', 'app.js');

/** The flags of every command that runs the service. */
export const serviceFlags = {
  limit: Flags.string({
    summary: 'requests per window for a group, or off',
    multiple: true,
    helpValue: 'GROUP=N|off',
  }),
  'client-limit': Flags.string({
    summary: 'requests per window with publishable keys for a user, an address or a key, or off',
    multiple: true,
    helpValue: 'SCOPE=N|off',
  }),
  'trusted-proxy': Flags.string({
    summary: 'address or network of a proxy in front of this service, whose X-Forwarded-For names the client',
    multiple: true,
    helpValue: 'ADDRESS[/BITS]',
  }),
  catalog: Flags.string({
    summary: 'JSON file of contents and templates; reloaded when it changes',
    helpValue: 'FILE',
  }),
  provider: Flags.string({
    summary:
      'who sends the notifications of a channel: a provider that ships with svc, or a file (docs/providers)',
    multiple: true,
    helpValue: 'CHANNEL=NAME|FILE',
  }),
  faults: Flags.string({
    summary: 'JSON file of faults to inject (docs/fault-injection.md)',
    helpValue: 'FILE',
  }),
  retain: Flags.string({
    summary:
      'how long events, decisions (default: forever), notifications (400d), eventIds (90d) and outcomes for webhooks (30d) are kept',
    multiple: true,
    helpValue: 'LOG=DURATION|forever',
  }),
  'test-clock': Flags.boolean({
    summary: 'give the data a clock that `svc clock advance` moves, for good (test workspaces only)',
  }),
  window: Flags.string({ summary: 'length of the sliding window', helpValue: '60s' }),
  'allow-loopback-webhooks': Flags.boolean({
    summary: 'accept webhook URLs with http and loopback addresses',
    allowNo: true,
  }),
};

/** Makes the options of the service from flags and environment. Throws usage. */
export function serviceOptions(
  flags: {
    limit?: string[] | undefined;
    'client-limit'?: string[] | undefined;
    'trusted-proxy'?: string[] | undefined;
    catalog?: string | undefined;
    provider?: string[] | undefined;
    faults?: string | undefined;
    retain?: string[] | undefined;
    window?: string | undefined;
    region?: string | undefined;
    'test-clock'?: boolean | undefined;
    'allow-loopback-webhooks'?: boolean | undefined;
  },
  { env, clock }: Pick<World, 'env' | 'clock'>,
): Omit<ServiceOptions, 'database'> {
  return {
    region: flags.region,
    limits: parseLimits('--limit', flags.limit ?? [], GROUPS),
    clientLimits: parseLimits('--client-limit', flags['client-limit'] ?? [], CLIENT_SCOPES),
    trustedProxies: checkedProxies(flags['trusted-proxy'] ?? []),
    windowMs: parseWindow(flags.window),
    retain: parseRetention(flags.retain ?? []),
    allowLoopbackWebhooks: flags['allow-loopback-webhooks'],
    catalog: flags.catalog,
    providers: flags.provider,
    faults: flags.faults,
    testClock: flags['test-clock'],
    clock,
    seed: env.SVC_SEED || undefined,
    dataKey: env.SVC_DATA_KEY || undefined,
    environment: env,
    receiptsLimit: parseReceiptsLimit(env.SVC_RECEIPTS_LIMIT),
  };
}

/** Throws usage. */
function parseReceiptsLimit(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SvcError('usage', 'SVC_RECEIPTS_LIMIT is not a positive number', {
    hint: 'export SVC_RECEIPTS_LIMIT=12000',
  });
}

/**
 * Settings that are stored with the data, differ from the defaults and are not `given` at this start: as the flags that
 * set them, and as the flags that restore the defaults. Both lists are empty if there are none.
 */
export function storedFlags(policy: Policy, given: PolicyChange): { stored: string[]; defaults: string[] } {
  const flags = (of: Policy) => [
    ...GROUPS.filter((group) => given.limits?.[group] === undefined).map(
      (group) => `--limit ${group}=${of.limits[group] ?? 'off'}`,
    ),
    ...CLIENT_SCOPES.filter((scope) => given.clientLimits?.[scope] === undefined).map(
      (scope) => `--client-limit ${scope}=${of.clientLimits[scope] ?? 'off'}`,
    ),
    ...(given.windowMs === undefined ? [`--window ${of.windowMs / 1000}s`] : []),
    ...RETAINED_LOGS.filter((log) => given.retain?.[log] === undefined).map(
      (log) => `--retain ${log}=${retentionText(of.retain[log])}`,
    ),
    ...(given.allowLoopbackWebhooks === undefined
      ? [`--${of.allowLoopbackWebhooks ? '' : 'no-'}allow-loopback-webhooks`]
      : []),
  ];
  const defaults = flags(DEFAULT_POLICY);
  const current = flags(policy);
  return {
    stored: current.filter((flag, index) => flag !== defaults[index]),
    defaults: defaults.filter((flag, index) => flag !== current[index]),
  };
}

/**
 * Limits above the hard ceiling of the specification, which only enterprise tiers have: as a warning each, with the flag
 * that sets the ceiling. A limit is per window, a ceiling per minute.
 */
export function aboveCeiling({ limits = {}, windowMs = WINDOW_MS }: PolicyChange): string[] {
  return GROUPS.flatMap((group) => {
    const limit = limits[group];
    const { ceiling } = GROUP_LIMITS[group];
    const most = Math.max(1, Math.floor((ceiling * windowMs) / WINDOW_MS));
    if (limit === undefined || limit === null || limit <= most) return [];
    return [
      `the limit of ${group} is ${limit} per ${windowMs / 1000} s, above the hard ceiling of ${ceiling} per minute, which only enterprise tiers exceed; to stay below it, use --limit ${group}=${most}`,
    ];
  });
}

/** The files of the certificate; undefined for plain http. Throws usage if only one is given. */
export function tlsOf(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const [given, missing, file] =
    cert === undefined ? ['--tls-key', '--tls-cert', 'cert.pem'] : ['--tls-cert', '--tls-key', 'key.pem'];
  throw new SvcError('usage', `${given} needs ${missing}`, {
    hint: (invocation) => invocation.rerunWith(missing, file),
  });
}

/** Where traces are exported to, from the OTEL_ variables; undefined if they are not. Throws usage. */
export function tracingOf(env: World['env'], version: string): TracingSettings | undefined {
  try {
    return tracingSettings(env, version);
  } catch (error) {
    throw new SvcError('usage', (error as Error).message, {
      hint: 'correct the variable, or export OTEL_SDK_DISABLED=true',
    });
  }
}

const MAX_PROCESSES = 64;

/** The number of processes; undefined if they were not asked for. Throws usage. */
export function processesOf(text: string | undefined, cores: number): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'auto') return Math.min(cores, MAX_PROCESSES);
  const processes = /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN;
  if (processes <= MAX_PROCESSES) return processes;
  throw new SvcError('usage', `--processes ${text} is not a number from 1 to ${MAX_PROCESSES}, or auto`, {
    hint: (invocation) => invocation.rerunWith('--processes', 'auto'),
  });
}

/** Parses limits such as `ingest=600` and `ingest=off`, by their names. Throws usage. */
function parseLimits<Name extends string>(
  flag: string,
  given: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, number | null>> {
  const limits: Partial<Record<Name, number | null>> = {};
  for (const text of given) {
    const [, name, value] = /^(\w+)=(off|[1-9]\d{0,8})$/.exec(text) ?? [];
    if (!name || !names.includes(name as Name)) {
      throw new SvcError('usage', `${flag} ${text} is not NAME=N or NAME=off`, {
        hint: `the names are ${names.join(', ')}: ${flag} ${names[0]}=600`,
      });
    }
    limits[name as Name] = value === 'off' ? null : Number(value);
  }
  return limits;
}

/** Parses how long logs are kept, such as `events=90d,decisions=forever`. Throws usage. */
function parseRetention(given: readonly string[]): Partial<Retention> {
  const kept: Partial<Record<RetainedLog, number | null>> = {};
  for (const part of given.flatMap((text) => text.split(','))) {
    const [, name, value] = /^(\w+)=(forever|[1-9]\d{0,4}[hd])$/.exec(part) ?? [];
    const log = RETAINED_LOGS.find((each) => each === name);
    const mistake = log ? `names ${log} twice` : `${part} is not LOG=DURATION, with at most five digits`;
    if (!log || kept[log] !== undefined)
      throw new SvcError('usage', `--retain ${mistake}`, {
        hint: `the logs are ${RETAINED_LOGS.join(', ')}, durations in hours or days: --retain events=90d,decisions=400d, or --retain events=forever`,
      });
    kept[log] = value === 'forever' ? null : parseDuration(value!, '--retain');
  }
  return kept;
}

/** What is removed after which time, but for what is by default; undefined if there is nothing else. */
export function retentionNotice({ retain }: Pick<Policy, 'retain'>): string | undefined {
  const parts = RETAINED_LOGS.filter((log) => ![null, DEFAULT_POLICY.retain[log]].includes(retain[log])).map(
    (log) => `${log} for ${retentionText(retain[log])}`,
  );
  return parts.length === 0 ? undefined : `keeps ${parts.join(' and ')}, and removes older ones`;
}

/** Throws usage for what is neither an address nor a network. */
function checkedProxies(given: readonly string[]): readonly string[] {
  try {
    proxiesOf(given);
  } catch (error) {
    throw new SvcError(
      'usage',
      `--trusted-proxy ${(error as Error).message} is neither an address nor a network`,
      {
        hint: 'name the proxy as this service sees it: --trusted-proxy 10.0.0.0/8',
      },
    );
  }
  return given;
}

const MIN_WINDOW_MS = 100;
const MAX_WINDOW_MS = 24 * 3600_000;

/** Parses the length of the window to milliseconds. Throws usage. */
function parseWindow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const windowMs = parseDuration(text, '--window');
  if (windowMs >= MIN_WINDOW_MS && windowMs <= MAX_WINDOW_MS) return windowMs;
  throw new SvcError('usage', `--window ${text} is not between 100ms and 24h`, {
    hint: (invocation) => invocation.rerunWith('--window', '60s'),
  });
}
