import { GROUPS, RECEIPTS_LIMIT } from '../contract/limits.ts';
import { type Clock, systemClock } from '../kit/clock.ts';

import { randomFrom } from '../kit/random.ts';
import { provision, provisionTestClock } from './admin/provision.ts';
import { reportModes } from './admin/report-modes.ts';
import { followCatalogs } from './catalog/follow.ts';
import { checkRetention, inForce } from './catalog/retention.ts';
import { startClockMover } from './clock/mover.ts';
import { openFeatures } from './features.ts';
import { rateLimiter } from './http/access/admit.ts';
import { authenticator } from './http/access/authenticate.ts';
import { clientAccess } from './http/access/client-access.ts';
import { proxiesOf } from './http/access/client-address.ts';
import type { CountClients } from './http/access/client-counts.ts';
import { startKeyUses } from './http/access/key-uses.ts';
import { watchKeys } from './http/access/key-watch.ts';
import { TurnedAway } from './http/access/turned-away.ts';
import { type AppParts, createApp } from './http/app.ts';
import { readAppScript } from './http/app-script.ts';
import { EndpointRequests } from './http/endpoint-requests.ts';
import { LastHour } from './http/last-hour.ts';
import { recordRequests, unobserved } from './http/record-requests.ts';
import { RefusedRequests } from './http/refused-requests.ts';
import { listen } from './http/server.ts';
import { invalidityOf, readKeyPair, readNextKeyPair, type TlsFiles, type TlsKeyPair } from './http/tls.ts';
import { publicUrlOf } from './notifications/providers/file/load.ts';
import { type ChannelSettings, channelSettings, openChannels } from './notifications/providers/settings.ts';
import { loadFaults, loadMetrics, loadTracing } from './optional-parts.ts';
import { openDataKey } from './platform/data-key.ts';
import { inTime } from './platform/in-time.ts';
import { type SteadyClock, systemSteadyClock } from './platform/limits/limiter-clock.ts';
import type { Log } from './platform/log.ts';
import { filesOf, openStore } from './platform/open.ts';
import type { Platform } from './platform/platform.ts';
import { Precedence } from './platform/precedence.ts';
import { serviceClock } from './platform/service-clock.ts';
import { followPolicy, type PolicyChange } from './platform/settings.ts';
import type { TracingSettings } from './platform/tracing/settings.ts';
import { untraced } from './platform/tracing/tracing.ts';
import type { RunningService } from './running-service.ts';
import { healthOf } from './telemetry/health.ts';
import { startNodeRecord } from './telemetry/node-record.ts';
import { listenForOperations } from './telemetry/server.ts';
import { describe, readStatus } from './telemetry/status.ts';
import { DataReader } from './telemetry/stored-data.ts';
import { readUsage } from './telemetry/usage.ts';

/**
 * How long requests in progress may take while the service stops, and all other work after them, in ms. A console beside
 * it ends first, within 1 s: together less than 10 s.
 */
const GRACE_MS = 6000;
const REST_MS = 2000;

export interface ServiceOptions extends PolicyChange {
  /** Path of an SQLite file, or URL of a PostgreSQL database. */
  readonly database: string;
  /** Folder for the files of a PostgreSQL database: credentials, data key, outbox. Those of SQLite lie beside it. */
  readonly dataDir?: string | undefined;
  readonly host?: string | undefined;
  /** 0 selects a free port. */
  readonly port?: number | undefined;
  readonly region?: string | undefined;
  /** Serves over TLS with this certificate. Default: plain http. */
  readonly tls?: TlsFiles | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed (serve --trusted-proxy). */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Makes random choices repeatable (SVC_SEED). */
  readonly seed?: string | undefined;
  /** Path of a faults file, for fault injection (docs/fault-injection.md). */
  readonly faults?: string | undefined;
  /** Exports traces. Default: those of callers are passed on only. */
  readonly tracing?: TracingSettings | undefined;
  /** Path of a catalog file. Default: the catalog in the store, or else the built-in one. */
  readonly catalog?: string | undefined;
  /** The key of the personal fields, 64 hex characters (SVC_DATA_KEY). Default: the file beside the data. */
  readonly dataKey?: string | undefined;
  /** How notifications are sent. Default: as configured in `environment`. */
  readonly channels?: ChannelSettings | undefined;
  /** A provider per channel, as CHANNEL=NAME or CHANNEL=FILE. Default: SVC_PROVIDERS of the environment. */
  readonly providers?: readonly string[] | undefined;
  /** Receipts of providers per window and workspace. Default: RECEIPTS_LIMIT. */
  readonly receiptsLimit?: number | undefined;
  /** Configures mail server and providers (channelSettings). Default: notifications go to a file beside the data. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The service of `local`: allows webhooks to loopback addresses in this process, whatever the store's policy. */
  readonly onThisMachine?: boolean | undefined;
  /** Gives the store a clock that tests can move. Rejects with TestClockRefused where a workspace is live. */
  readonly testClock?: boolean | undefined;
  /** Path of the script that web pages load (`GET /v1/app.js`). Default: it is not served. */
  readonly appScript?: string | undefined;
  /** Version of svc, which is listed with the node. */
  readonly version?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly steady?: SteadyClock | undefined;
  readonly log?: Log | undefined;
  /** Port for /metrics, /healthz and /readyz; 0 selects a free port. Default: no such server. */
  readonly metricsPort?: number | undefined;
  /** This process is one of several that form a node (features/serve/processes). */
  readonly member?: NodeMember | undefined;
}

/** What a process of a node with several does of the node's work. */
interface NodeMember {
  /** Its part of the connections and slots of the node. */
  readonly share: number;
  /** True for the process that reports what an operator should know, once for the node. */
  readonly reports: boolean;
  /** Collects metrics, which the node asks for (RunningService). */
  readonly metrics: boolean;
  /** Counts the requests of clients for the whole node. */
  readonly countClients: CountClients;
  /** What the node serves https with; undefined for http. */
  readonly keyPair: TlsKeyPair | undefined;
}

/**
 * Starts the service and connects its parts: store, handlers and workers. Resolves once it accepts connections. Rejects
 * with StoreUnusable, StoreUnavailable, TlsUnusable or the listen error.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const machine = options.clock ?? systemClock;
  const files = filesOf(options.database, options.dataDir ?? '.');
  const steady = options.steady ?? systemSteadyClock;
  const { member, tls } = options;
  const keyPair = tls && (member?.keyPair ?? readKeyPair(tls));
  const share = member?.share ?? 1;
  const { store, limiter, limiterTime, shared } = await openStore(options.database, machine, steady, share);
  const clock = serviceClock(machine, store);
  const closers: Array<() => Promise<void> | void> = [() => store.close()];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= inTime(
      async () => {
        for (const closer of closers.reverse()) await closer();
      },
      graceMs + REST_MS,
      () => options.log?.('warn', 'the service stops while work is not finished: it goes on after a start'),
    );
    return closing;
  };
  let graceMs = GRACE_MS;
  try {
    const collects = options.metricsPort !== undefined || member?.metrics;
    const metrics = collects ? await loadMetrics(store, steady) : undefined;
    const observe = metrics?.observe ?? unobserved;
    const log: Log = (level, message, fields) => {
      if (level !== 'debug') observe.line(level);
      options.log?.(level, message, fields);
    };
    const invalid = tls && keyPair && invalidityOf(tls, keyPair, machine.now());
    if (invalid) log('warn', invalid);
    const tracing = options.tracing ? await loadTracing(options.tracing, log) : untraced;
    closers.push(() => tracing.close());
    const credentials = await provision(store, `${files}.credentials.json`, options.region, shared);
    const testClock = await provisionTestClock(store, options.testClock === true);
    const catalogs = await followCatalogs(store, options.catalog, log);
    closers.push(() => catalogs.stop());
    if (options.retain)
      for (const each of await store.read((tx) => catalogs.all(tx))) checkRetention(options.retain, each);
    const { policy: kept, stop } = await followPolicy(store, options, log);
    closers.push(stop);
    const policy = options.onThisMachine ? () => ({ ...kept(), allowLoopbackWebhooks: true }) : kept;
    const platform: Platform = {
      store,
      clock,
      machine,
      random: randomFrom(options.seed),
      log,
      tracing,
      cipher: await openDataKey(store, `${files}.key`, options.dataKey, shared),
      precedence: new Precedence(),
      share,
      repeatable: options.seed !== undefined,
    };
    const channelsAs =
      options.channels ??
      channelSettings(options.environment ?? {}, `${files}.outbox.ndjson`, options.providers);
    const channels = openChannels(channelsAs, clock.now, policy, tracing);
    // `svc serve` reports once; the service of `local` starts with every command.
    if (!options.onThisMachine && member?.reports !== false)
      await reportModes(store, channels.configured, log);
    const faults = options.faults === undefined ? undefined : await loadFaults(options.faults, clock, log);
    const record = startNodeRecord(platform, options.version ?? null, options.onThisMachine === true);
    const keyUses = startKeyUses(platform);
    const stopping = new AbortController();
    const keys = watchKeys(platform);
    closers.push(() => keys.stop());
    const retention = () => inForce(policy().retain, catalogs.shared());
    const isProxy = proxiesOf(options.trustedProxies ?? []);
    const requests = new EndpointRequests(() => machine.now());
    const turnedAway = new TurnedAway(() => machine.now());
    const refused = new RefusedRequests(() => machine.now());
    const asked = new Map(GROUPS.map((group) => [group, new LastHour(() => machine.now(), { requests: 0 })]));
    const admit = rateLimiter(limiter, policy, machine);
    const features = openFeatures(platform, {
      decided: requests.latest('decide'),
      catalogs,
      policy,
      retention,
      channels,
      outboxFile: channelsAs.outboxFile,
      publicUrl: publicUrlOf(options.environment ?? {}),
      limiter,
      receiptsLimit: options.receiptsLimit ?? RECEIPTS_LIMIT,
      isProxy,
      keys,
      stopping: stopping.signal,
      seed: options.seed,
      deliver: faults?.deliver,
    });
    const workers = [record, keyUses, ...features.flatMap((feature) => feature.workers ?? [])];
    if (!platform.cipher.usable)
      log('warn', 'this node has no data key: it sends nothing and answers 503 to what needs one', {
        missing: `${files}.key, or SVC_DATA_KEY with fingerprint ${platform.cipher.fingerprint}`,
      });
    closers.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
    const mover = startClockMover(platform, workers);
    closers.push(() => mover.stop());
    const health = healthOf(store, clock);
    const data = new DataReader(store, clock);
    const recorder = recordRequests(log, observe, tracing, requests, (endpoint, workspaceId, error) => {
      if (workspaceId === credentials.workspace) refused.add(endpoint, error);
    });
    closers.push(() => recorder.close());
    const parts: AppParts = {
      platform,
      endpoints: Object.assign({}, ...features.map((feature) => feature.endpoints)),
      unkeyed: features.flatMap((feature) => feature.unkeyed ?? []),
      authenticate: authenticator(store, keyUses.note),
      admit: (workspaceId, group, headers) => {
        if (workspaceId === credentials.workspace) asked.get(group)!.current().requests++;
        return admit(workspaceId, group, headers);
      },
      admitClient: clientAccess(platform, policy, isProxy, member?.countClients),
      recorder,
      turnedAway: (...request) => turnedAway.add(...request),
      readiness: () => health.answer(),
      region: options.region,
      appScript: options.appScript === undefined ? undefined : readAppScript(options.appScript),
    };
    const app = createApp(parts);
    let inside: ReturnType<typeof createApp> | undefined;
    const host = options.host ?? '127.0.0.1';
    const operations =
      metrics && options.metricsPort !== undefined
        ? await listenForOperations(host, options.metricsPort, health, metrics)
        : undefined;
    if (operations) closers.push(() => operations.close());
    const fetch = faults?.serve(app.fetch, (...fault) => requests.addFault(...fault)) ?? app.fetch;
    const server = await listen(fetch, host, options.port ?? 0, undefined, undefined, keyPair);
    closers.push(() => server.close(graceMs));
    // Closers run in reverse, so this is first: readiness fails and endless event streams end.
    closers.push(() => {
      health.stopping();
      stopping.abort();
    });
    const base = host.includes(':') ? `[${host}]` : host;
    return {
      url: `${tls ? 'https' : 'http'}://${base}:${server.port}`,
      metricsUrl: operations && `http://${base}:${operations.port}/metrics`,
      workspace: credentials.workspace,
      apiKey: credentials.apiKey,
      keyId: credentials.keyId,
      mode: credentials.mode,
      testClock,
      withProvider: channels.configured,
      describe: () => describe(store, credentials.workspace, credentials.mode),
      platform,
      policy,
      retention,
      ready: () => health.answer(),
      reloadTls: () => {
        if (!tls) return;
        try {
          server.useKeyPair(readNextKeyPair(tls, machine.now()));
          log('info', 'the certificate was read again', { file: tls.cert });
        } catch (error) {
          log('error', 'the certificate could not be read again, and the old one stays in use', {
            reason: (error as Error).message,
          });
        }
      },
      metricValues: async () => metrics?.values(),
      metricCounts: async () => metrics?.counts(),
      answer: (request, bindings) => {
        inside ??= createApp({
          ...parts,
          // Requests of the console are not traffic of the service.
          recorder: recordRequests(() => {}, unobserved, untraced),
          inside: credentials.workspace,
        });
        return inside.fetch(request, bindings);
      },
      identify: async (user) => {
        const { identifyUser } = await import('./admin/user-records.ts');
        return identifyUser(store, credentials.workspace, user);
      },
      usage: () => readUsage({ store, clock: machine, policy }, limiterTime, credentials.workspace),
      storedData: () => data.read(credentials.workspace),
      status: () => readStatus(store, health, record, credentials.workspace),
      requests: () => requests.lastHour(),
      requestsByMinute: () => requests.byMinute(),
      askedByMinute: (group) =>
        asked
          .get(group)!
          .read()
          .map(({ requests }) => requests),
      turnedAway: () => turnedAway.read(store, credentials.workspace),
      refused: () => refused.read(),
      faults: faults?.control,
      idle: async () => (await Promise.all(workers.map((worker) => worker.idle()))).every(Boolean),
      close: (grace = graceMs) => {
        graceMs = grace;
        return close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
