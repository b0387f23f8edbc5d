import { RECEIPTS_LIMIT } from '../contract/limits.ts';
import { type Clock, systemClock } from '../kit/clock.ts';

import { randomFrom } from '../kit/random.ts';
import { followCatalogs } from './catalog/follow.ts';
import { publicUrlOf } from './channels/provider-file/load.ts';
import { type ChannelSettings, channelSettings, openChannels } from './channels/settings.ts';
import { rateLimiter } from './http/admit.ts';
import { type AppParts, createApp } from './http/app.ts';
import { authenticator } from './http/authenticate.ts';
import { clientAccess } from './http/client-access.ts';
import { proxyList } from './http/client-address.ts';
import type { CountClients } from './http/client-counts.ts';
import { handlers } from './http/handlers/handlers.ts';
import { liveEvents } from './http/handlers/live-events.ts';
import { watchEvents } from './http/handlers/watch-events.ts';
import { watchKeys } from './http/key-watch.ts';
import { recordRequests } from './http/record-requests.ts';
import { listen } from './http/server.ts';
import { invalidityOf, readKeyPair, readNextKeyPair, type TlsFiles, type TlsKeyPair } from './http/tls.ts';
import { inTime } from './in-time.ts';
import type { Log } from './log.ts';
import { healthOf } from './operations/health.ts';
import { unobserved } from './operations/observe.ts';
import { listenForOperations } from './operations/server.ts';
import { readStatus } from './operations/status.ts';
import { readUsage } from './operations/usage.ts';
import { loadFaults, loadMetrics, loadTracing } from './optional-parts.ts';
import type { RunningService } from './running-service.ts';
import { openDataKey } from './runtime/data-key.ts';
import { decisionSeeds } from './runtime/decision-seed.ts';
import type { ServiceDeps } from './runtime/deps.ts';
import { EventSignals } from './runtime/event-signals.ts';
import { LearnedModels } from './runtime/learned-models.ts';
import { followPolicy, type PolicyChange } from './runtime/policy.ts';
import { Precedence } from './runtime/precedence.ts';
import { reportModes } from './runtime/report-modes.ts';
import { checkRetention, inForce } from './runtime/retention.ts';
import { provision } from './store/credentials.ts';
import { type SteadyClock, systemSteadyClock } from './store/limiter/limiter-clock.ts';
import { filesOf, openStore } from './store/open.ts';
import { sendingMode, workspaces } from './store/repositories/workspaces.ts';
import type { TracingSettings } from './tracing/settings.ts';
import { untraced } from './tracing/tracing.ts';
import { startDeliverer } from './workers/deliverer.ts';
import { startDispatcher } from './workers/dispatcher.ts';
import { startEraser } from './workers/eraser.ts';
import { startEventIndexer } from './workers/event-indexer.ts';
import { startFanOut } from './workers/fan-out.ts';
import { startJanitor } from './workers/janitor.ts';
import { startKeyUses } from './workers/key-uses.ts';
import { startLearner } from './workers/learner.ts';
import { startNodeRecord } from './workers/node-record.ts';
import { startRetainer } from './workers/retainer.ts';
import { startSettler } from './workers/settler.ts';
import { startSignalWriter } from './workers/signal-writer.ts';

/** How long requests in progress may take while the service stops, and all other work after them, in ms. */
const GRACE_MS = 6000;
const REST_MS = 3000;

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
  const clock = options.clock ?? systemClock;
  const files = filesOf(options.database, options.dataDir ?? '.');
  const steady = options.steady ?? systemSteadyClock;
  const { member, tls } = options;
  const keyPair = tls && (member?.keyPair ?? readKeyPair(tls));
  const share = member?.share ?? 1;
  const { store, limiter, limiterTime, shared } = await openStore(options.database, clock, steady, share);
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
    const invalid = tls && keyPair && invalidityOf(tls, keyPair, Date.now());
    if (invalid) log('warn', invalid);
    const tracing = options.tracing ? await loadTracing(options.tracing, log) : untraced;
    closers.push(() => tracing.close());
    const credentials = await provision(store, `${files}.credentials.json`, options.region, shared);
    const catalogs = await followCatalogs(store, options.catalog, log);
    closers.push(() => catalogs.stop());
    if (options.retain)
      for (const each of await store.read((tx) => catalogs.all(tx))) checkRetention(options.retain, each);
    const { policy: kept, stop } = await followPolicy(store, options, log);
    closers.push(stop);
    const policy = options.onThisMachine ? () => ({ ...kept(), allowLoopbackWebhooks: true }) : kept;
    const deps: ServiceDeps = {
      store,
      clock,
      random: randomFrom(options.seed),
      policy,
      retention: () => inForce(policy().retain, catalogs.shared()),
      log,
      tracing,
      cipher: await openDataKey(store, `${files}.key`, options.dataKey, shared),
      catalogs,
      publicUrl: publicUrlOf(options.environment ?? {}),
      models: new LearnedModels(log),
      signals: new EventSignals(),
      decisionSeed: decisionSeeds(options.seed),
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
    const record = startNodeRecord(deps, options.version ?? null, options.onThisMachine === true);
    const keyUses = startKeyUses(deps);
    const workers = [
      record,
      keyUses,
      startJanitor(deps),
      startRetainer(deps),
      startLearner(deps),
      startSettler(deps),
      startSignalWriter(deps),
      startEventIndexer(deps),
      startFanOut(deps),
      // These decrypt personal fields and secrets.
      ...(deps.cipher.usable
        ? [
            startDeliverer(deps, faults?.deliver),
            startDispatcher(deps, channels),
            startEraser(deps, channelsAs.outboxFile),
          ]
        : []),
    ];
    if (!deps.cipher.usable)
      log('warn', 'this node has no data key: it sends nothing and answers 503 to what needs one', {
        missing: `${files}.key, or SVC_DATA_KEY with fingerprint ${deps.cipher.fingerprint}`,
      });
    closers.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
    const stopping = new AbortController();
    const keys = watchKeys(deps);
    closers.push(() => keys.stop());
    const health = healthOf(store, clock);
    const recorder = recordRequests(log, observe, tracing);
    closers.push(() => recorder.close());
    const proxies = proxyList(options.trustedProxies ?? []);
    const parts: AppParts = {
      deps,
      handlers,
      prepare: {
        // Beside the look at the key, unless anybody could make this process read a model, or wait for a lost worker.
        decide: (workspaceId, admitted) =>
          admitted || (!store.workers && deps.models.holds(workspaceId))
            ? deps.models.follow(store, workspaceId)
            : undefined,
      },
      streams: {
        streamEvents: liveEvents(stopping.signal, keys, share),
        watchEvents: watchEvents(stopping.signal, keys),
      },
      authenticate: authenticator(store, keyUses.note),
      admit: rateLimiter(limiter, policy, clock),
      admitClient: clientAccess(deps, proxies, member?.countClients),
      receipts: {
        limiter,
        receivers: channels.receivers,
        limit: options.receiptsLimit ?? RECEIPTS_LIMIT,
        proxies,
      },
      recorder,
      health,
      region: options.region,
    };
    const app = createApp(parts);
    let inside: ReturnType<typeof createApp> | undefined;
    const host = options.host ?? '127.0.0.1';
    const operations =
      metrics && options.metricsPort !== undefined
        ? await listenForOperations(host, options.metricsPort, health, metrics)
        : undefined;
    if (operations) closers.push(() => operations.close());
    const fetch = faults?.serve(app.fetch) ?? app.fetch;
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
      currentMode: async () => {
        const found = await store.read((tx) => workspaces.get(tx, credentials.workspace));
        return sendingMode(found?.mode ?? credentials.mode);
      },
      deps,
      ready: () => health.answer(),
      reloadTls: () => {
        if (!tls) return;
        try {
          server.useKeyPair(readNextKeyPair(tls, Date.now()));
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
        const { identifyUser } = await import('./runtime/user-records.ts');
        return identifyUser(store, credentials.workspace, user);
      },
      usage: () => readUsage(deps, limiterTime, credentials.workspace),
      status: () => readStatus(store, health, record),
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
