import { devNull } from 'node:os';
import type { Answer, Client } from '../../client/client.ts';
import type { Incoming } from '../../client/exchange.ts';
import type { Retry } from '../../client/interceptors/retry.ts';
import type { ObservedLimits } from '../../client/observed-limits.ts';
import type { Pacers } from '../../client/pacers.ts';
import { webPage } from '../../client/web-page.ts';
import { HEADERS } from '../../contract/headers.ts';
import { LOCAL } from '../../profiles/profiles.ts';
import type { RunningService } from '../../service/running-service.ts';
import type { GlobalFlags } from '../flags/global-flags.ts';
import type { Settings } from '../invocation/settings.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { repeatedVersion } from './base-path.ts';
import { type Paths, pathsOf } from './paths.ts';
import { overridingVariables } from './settings.ts';

/** A client with its settings. */
export interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
  readonly workspace: string;
  readonly region: string | undefined;
  /** `local`, a profile's name, or undefined where the environment sufficed. */
  readonly profile: string | undefined;
  readonly isLocal: boolean;
  /** The service is known to honour Idempotency-Key. */
  readonly idempotent: boolean;
  /** The profile says that any 2xx of the service acknowledges records. */
  readonly acceptAnyAnswer: boolean;
  /** The service is known to take `eventId`: it is that of `local`, or the profile says so. */
  readonly eventIds: boolean;
  /** The pacers of the rate-limit groups, to announce requests and to read the pace. */
  readonly pacers: Pacers;
  /** The rate limits seen in responses of this and of earlier commands. */
  readonly limits: ObservedLimits;
  /** The service of `local`, which runs in this process; undefined for a remote service. */
  readonly service: RunningService | undefined;
  /** The time of the service, Unix ms, where it runs in this process; else that of this machine. */
  now(): number;
  /** Waits up to 2 s for pending work of the local service, unless it is `stopped`, then closes everything. */
  close(stopped?: AbortSignal): Promise<void>;
}

export interface ConnectOptions {
  /** The fraction of each limit to use, above 0 and at most 1. */
  readonly share?: number;
  /** A person waits for each request (PacerOptions). */
  readonly longestWaitMs?: number;
  /** Called before each retry. */
  readonly onRetry?: () => void;
  /** Called with the status and the headers of each response. */
  readonly onAnswer?: (status: number, headers: Readonly<Record<string, string>>) => void;
  /** The command to suggest where a response comes from another region than expected; no warning without it. */
  readonly onOtherRegion?: string | undefined;
  /** The command reports what is wrong with the settings, the answers and the region itself. */
  readonly diagnoses?: boolean;
  /** Receives notices of waits and retries; by default they are printed on stderr. */
  readonly onNotice?: (text: string) => void;
  /** Overrides --max-retries. */
  readonly maxRetries?: number;
  /** The command sends many requests or keeps running, so optimizing its code pays off. */
  readonly lasting?: boolean;
  /** The script of web pages that the local service serves; none without it. */
  readonly appScript?: string;
}

/** The command that connects, and how. */
interface ConnectingCommand extends ConnectOptions {
  readonly world: World;
  readonly out: Output;
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  readonly version: string;
}

/** How long the local service may deliver before the command ends. */
const LOCAL_GRACE_MS = 2_000;

/** Connects a command to the service of its settings; starts the service for `local`. Throws data. */
export async function connect({
  world,
  out,
  flags,
  settings,
  version,
  share = 1,
  longestWaitMs,
  lasting = false,
  maxRetries = flags['max-retries'],
  onRetry,
  onAnswer,
  onOtherRegion,
  diagnoses = false,
  onNotice = (text) => out.notice(text),
  appScript,
}: ConnectingCommand): Promise<Connection> {
  const paths = pathsOf(world);
  const local =
    settings.kind === 'local' ? await startLocal(world, paths, out, version, appScript) : undefined;
  const target = local ?? (settings as Exclude<Settings, { kind: 'local' }>);
  const { createClient } = await import('../../client/client.ts');
  const { ObservedLimits } = await import('../../client/observed-limits.ts');
  const { Pacers } = await import('../../client/pacers.ts');
  const { randomFrom } = await import('../../kit/random.ts');
  if (!lasting) world.shortLived();
  if (settings.kind === 'remote' && settings.sandbox)
    out.notice(`sandbox: profile ${settings.profile} acts with test credentials`);
  const repeated = settings.kind === 'remote' && repeatedVersion(settings.baseUrl, settings.origins.baseUrl);
  if (repeated && !diagnoses) out.warn(repeated);
  // Exported variables are easily forgotten, and they override the profile that was just typed.
  const overriding =
    settings.kind === 'remote' && settings.named?.by === '--profile' && overridingVariables(settings);
  if (overriding && !diagnoses)
    out.notice(`exported variables override profile ${flags.profile}: ${overriding}`);
  const region = settings.kind === 'remote' ? settings.region : undefined;
  const random = randomFrom(undefined);
  // The port of `local` changes with each process.
  const scope = { baseUrl: local ? LOCAL : target.baseUrl, workspace: target.workspace };
  const limits = new ObservedLimits(folderOfLimits(paths), scope);
  const steadyClock = {
    now: () => performance.timeOrigin + performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => world.clock.sleep(ms, signal),
  };
  const pacers = new Pacers({
    clock: steadyClock,
    random,
    share,
    longestWaitMs,
    onPause: (group, waitMs) => onNotice(`over the limit of ${group}: waiting ${Math.ceil(waitMs / 1000)} s`),
  });
  const idempotent = settings.kind === 'local' || settings.idempotent;
  const watchHeaders = headerWatch(out, flags, region, diagnoses ? undefined : onOtherRegion);
  const retries = retryNotices(onNotice, target.baseUrl, maxRetries);
  const warnOfPage = pageWarning(out, target.baseUrl);
  const client = createClient({
    baseUrl: target.baseUrl,
    workspace: target.workspace,
    apiKey: target.apiKey,
    idempotent,
    timeoutMs: flags.timeout * 1000,
    maxRetries,
    clock: world.clock,
    random,
    pacers,
    steadyClock,
    onLimit: (group, answer, now) => limits.note(group, answer, now),
    userAgent: `svc/${version}`,
    onRetry: (retry) => {
      onRetry?.();
      retries.retry(retry);
    },
    onAnswer: (answer) => {
      onAnswer?.(answer.status, answer.headers);
      retries.answer(answer.status);
      watchHeaders(answer);
      if (!diagnoses) warnOfPage(answer);
    },
    debug: flags.debug ? (line) => out.info(line) : undefined,
  });
  return {
    client,
    baseUrl: target.baseUrl,
    workspace: target.workspace,
    region,
    profile: settings.kind === 'local' ? 'local' : settings.profile,
    isLocal: settings.kind === 'local',
    idempotent,
    acceptAnyAnswer: settings.kind === 'remote' && settings.acceptAnyAnswer,
    eventIds: settings.kind === 'local' || settings.eventIds,
    pacers,
    limits,
    service: local?.service,
    now: (local?.service.platform ?? world).clock.now,
    close: async (stopped) => {
      limits.flush(world.clock.now());
      await client.close();
      await local?.close(stopped);
    },
  };
}

/** Returns the folder of observed limits; without a home folder, limits are not stored. */
function folderOfLimits(paths: Paths): string {
  try {
    return paths.dataDir;
  } catch {
    return devNull;
  }
}

/** Starts the local service inside this process. */
async function startLocal(
  { clock, env }: World,
  { database }: Paths,
  out: Output,
  version: string,
  appScript: string | undefined,
) {
  const { startService } = await import('../../service/start.ts');
  const service = await startService({
    database,
    onThisMachine: true,
    version,
    appScript,
    clock,
    seed: env.SVC_SEED || undefined,
    dataKey: env.SVC_DATA_KEY || undefined,
    environment: env,
    // The local service has no log of its own.
    log: (level, message, fields) => {
      if (level === 'error') out.warn(`${message}: ${String(fields?.reason ?? '').split('\n')[0]}`);
    },
  });
  if (service.apiKey === null) throw new Error('the data of local has no key');
  return {
    baseUrl: service.url,
    workspace: service.workspace,
    apiKey: service.apiKey,
    service,
    close: async (stopped?: AbortSignal) => {
      const until = clock.now() + LOCAL_GRACE_MS;
      while (!stopped?.aborted && clock.now() < until && !(await service.idle())) await clock.sleep(10);
      await service.close(0);
    },
  };
}

/**
 * Explains a delay caused by retries: from the second retry on, once per outage. The pacer reports a 429.
 */
function retryNotices(notify: (text: string) => void, baseUrl: string, maxRetries: number) {
  let notified = false;
  return {
    retry({ attempt, status }: Retry): void {
      if (notified || attempt < 2 || status === 429) return;
      notified = true;
      const what = status === undefined ? 'does not answer' : `answers ${status}`;
      notify(`${new URL(baseUrl).origin} ${what}: retrying, up to ${maxRetries} times in total`);
    },
    answer(status: number): void {
      if (status < 500) notified = false;
    },
  };
}

/** Warns where a 2xx response is a web page: it counts as a success (docs/design-choices.md, "The client is liberal"). */
function pageWarning(out: Output, baseUrl: string): (answer: Incoming) => void {
  let warned = false;
  return ({ status, body }) => {
    if (warned || status < 200 || status >= 300) return;
    const page = webPage(body.toString());
    if (page === undefined) return;
    warned = true;
    out.warn(
      `${new URL(baseUrl).origin} answered ${status}, but ${page}: the request may not have been processed`,
    );
  };
}

/** Warns of a response from another region, and prints the rate limits under --show-limits. */
function headerWatch(
  out: Output,
  flags: GlobalFlags,
  region: string | undefined,
  advice: string | undefined,
): (answer: Incoming | Answer) => void {
  let warned = false;
  return ({ headers }) => {
    const seen = headers[HEADERS.region];
    if (!warned && advice !== undefined && region !== undefined && seen !== undefined && seen !== region) {
      warned = true;
      out.warn(`the answer came from region ${seen}, not ${region}: calls are slower; what to do: ${advice}`);
    }
    if (flags['show-limits']) {
      const parts = [HEADERS.limit, HEADERS.remaining, HEADERS.reset].map(
        (name) => `${name}: ${headers[name] ?? '-'}`,
      );
      out.info(parts.join('  '));
    }
  };
}
