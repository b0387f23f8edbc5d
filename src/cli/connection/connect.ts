import { devNull } from 'node:os';
import type { Answer, Client } from '../../client/client.ts';
import type { Incoming } from '../../client/exchange.ts';
import type { Retry } from '../../client/interceptors/retry.ts';
import type { ObservedLimits } from '../../client/observed-limits.ts';
import type { Pacers } from '../../client/pacers.ts';
import { webPage } from '../../client/web-page.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Group } from '../../contract/limits.ts';
import { LOCAL } from '../../profiles/profiles.ts';
import type { GlobalFlags } from '../flags/global-flags.ts';
import type { Settings } from '../invocation/settings.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { repeatedVersion } from './base-path.ts';
import { type Paths, pathsOf } from './paths.ts';
import { overridingVariables } from './settings.ts';

/** A client tied to its settings. */
export interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
  readonly workspace: string;
  readonly region: string | undefined;
  /** `local`, a profile's name, or undefined where the environment sufficed. */
  readonly profile: string | undefined;
  readonly isLocal: boolean;
  /** The service is known to honour Idempotency-Key. */
  readonly keysHonoured: boolean;
  /** To tell how many requests are to come, and to look at the pace. */
  readonly pacers: Pacers;
  /** What the answers said about the limits, of this and of earlier commands. */
  readonly limits: ObservedLimits;
  /** The limits of `local` as they are, null for none; undefined for any other service, which tells them in answers. */
  readonly limitsInForce: Readonly<Record<Group, number | null>> | undefined;
  /** Lets the service on this machine finish what is due (up to 2 s) and closes everything. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** The part of each limit that may be used, above 0 and at most 1. */
  readonly share?: number;
  /** Told before each repeat of a request. */
  readonly onRetry?: () => void;
  /** Told of each answer. */
  readonly onAnswer?: (status: number) => void;
  /** What to run where an answer comes from another region than expected; nothing is said without. */
  readonly onOtherRegion?: string | undefined;
  /** Where what passes is said (a wait, a repeat); stderr unless given. */
  readonly onNotice?: (text: string) => void;
  /** In place of --max-retries. */
  readonly maxRetries?: number;
  /** The command sends many requests or stays: it pays for the fast code that a single request does not need. */
  readonly lasting?: boolean;
}

/** How long the service inside the process may deliver before the command ends. */
const LOCAL_GRACE_MS = 2_000;

/** Connects a command to the service of its settings, which for `local` is started here. Throws data. */
export async function connect(
  world: World,
  out: Output,
  flags: GlobalFlags,
  settings: Settings,
  version: string,
  {
    share = 1,
    lasting = false,
    maxRetries = flags['max-retries'],
    onRetry,
    onAnswer,
    onOtherRegion,
    onNotice = (text) => out.notice(text),
  }: ConnectOptions = {},
): Promise<Connection> {
  const paths = pathsOf(world);
  const local = settings.kind === 'local' ? await startLocal(world, paths, out) : undefined;
  const target = local ?? (settings as Exclude<Settings, { kind: 'local' }>);
  const { createClient } = await import('../../client/client.ts');
  const { ObservedLimits } = await import('../../client/observed-limits.ts');
  const { Pacers } = await import('../../client/pacers.ts');
  const { randomFrom } = await import('../../kit/random.ts');
  if (!lasting) world.endsSoon();
  if (settings.kind === 'remote' && settings.sandbox)
    out.notice(`sandbox: profile ${settings.profile} acts with test credentials`);
  const twice = settings.kind === 'remote' && repeatedVersion(settings.baseUrl, settings.origins.baseUrl);
  if (twice) out.warn(twice);
  // Who typed --profile means it; what is exported is easily forgotten.
  const before =
    settings.kind === 'remote' && settings.named?.by === '--profile' && overridingVariables(settings);
  if (before) out.notice(`what is exported comes before profile ${flags.profile}: ${before}`);
  const region = settings.kind === 'remote' ? settings.region : undefined;
  const random = randomFrom(undefined);
  // The port of `local` is another in each process.
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
    onPause: (group, waitMs) => onNotice(`over the limit of ${group}: waiting ${Math.ceil(waitMs / 1000)} s`),
  });
  const keysHonoured = settings.kind === 'local' || settings.keysHonoured;
  const watch = watchAnswers(out, flags, region, onOtherRegion);
  const patience = patienceOf(onNotice, target.baseUrl, maxRetries);
  const warnOfPage = pageWarning(out, target.baseUrl);
  const client = createClient({
    baseUrl: target.baseUrl,
    workspace: target.workspace,
    apiKey: target.apiKey,
    keysHonoured,
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
      patience.retry(retry);
    },
    onAnswer: (answer) => {
      onAnswer?.(answer.status);
      patience.answer(answer.status);
      watch(answer);
      warnOfPage(answer);
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
    keysHonoured,
    pacers,
    limits,
    limitsInForce: local?.limits,
    close: async () => {
      limits.flush(world.clock.now());
      await client.close();
      await local?.close();
    },
  };
}

/** Without a home nothing is kept, and a call that is told all it needs does without. */
function folderOfLimits(paths: Paths): string {
  try {
    return paths.dataDir;
  } catch {
    return devNull;
  }
}

/** The service on this machine's own data, inside this process. */
async function startLocal({ clock, env }: World, { database }: Paths, out: Output) {
  const { startService } = await import('../../service/start.ts');
  const service = await startService({
    database,
    onThisMachine: true,
    clock,
    seed: env.SVC_SEED || undefined,
    dataKey: env.SVC_DATA_KEY || undefined,
    environment: env,
    // There is no other place where the service inside this process could say why it fails.
    log: (level, message, fields) => {
      if (level === 'error') out.warn(`${message}: ${String(fields?.reason ?? '').split('\n')[0]}`);
    },
  });
  if (service.apiKey === null) throw new Error('the data of local has no key');
  return {
    baseUrl: service.url,
    workspace: service.workspace,
    apiKey: service.apiKey,
    limits: service.deps.policy().limits,
    close: async () => {
      const until = clock.now() + LOCAL_GRACE_MS;
      while (!(await service.idle()) && clock.now() < until) await clock.sleep(10);
      await service.close(0);
    },
  };
}

/**
 * Says why nothing happens while a request is repeated: from the second repeat on, once until the service answers
 * again, however many requests wait. A 429 is told of by the pacer.
 */
function patienceOf(say: (text: string) => void, baseUrl: string, maxRetries: number) {
  let told = false;
  return {
    retry({ attempt, status }: Retry): void {
      if (told || attempt < 2 || status === 429) return;
      told = true;
      const what = status === undefined ? 'does not answer' : `answers ${status}`;
      say(`${new URL(baseUrl).origin} ${what}: trying again, up to ${maxRetries} times in all`);
    },
    answer(status: number): void {
      if (status < 500) told = false;
    },
  };
}

/** Any 2xx is a success (docs/decisions.md, "The client is liberal"), but who takes a web page for one should know. */
function pageWarning(out: Output, baseUrl: string): (answer: Incoming) => void {
  let warned = false;
  return ({ status, body }) => {
    if (warned || status < 200 || status >= 300) return;
    const page = webPage(body.toString());
    if (page === undefined) return;
    warned = true;
    out.warn(
      `${new URL(baseUrl).origin} answered ${status}, but ${page}: whether anything arrived is doubtful`,
    );
  };
}

/** What the head of every answer may tell: another region, the limits asked for with --show-limits. */
function watchAnswers(
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
