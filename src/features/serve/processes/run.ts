import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { World } from '../../../cli/terminal/world.ts';
import { tcpListen } from '../../../kit/tcp-listen.ts';
import type { TlsFiles } from '../../../service/http/tls.ts';
import type { Log } from '../../../service/platform/log.ts';
import type { Readiness } from '../../../service/telemetry/health.ts';
import type { MetricValues } from '../../../service/telemetry/metrics.ts';
import { listenForOperations } from '../../../service/telemetry/server.ts';
import type { ReadyService } from './messages.ts';
import { MemberFailed, ServiceNode } from './node.ts';
import type { NodeMetrics } from './node-metrics.ts';

const PORT_ATTEMPTS = 100;

interface RunOptions {
  readonly processes: number;
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** The port of the console, which one of the processes serves; undefined for none. */
  readonly consolePort: number | undefined;
  /** Undefined for http. */
  readonly tls: TlsFiles | undefined;
  readonly signal: AbortSignal;
  readonly world: Pick<World, 'clock' | 'onHangUp'>;
  readonly log: Log;
  /** Called once all processes serve. */
  readonly onReady: (
    service: ReadyService,
    metricsUrl: string | undefined,
    consoleUrl: string | undefined,
  ) => void;
  readonly onStopping: () => void;
}

/**
 * Runs the service in several processes until `signal` fires. SIGHUP restarts them one after another. Resolves with the
 * exit code: that of the first process if it could not start, and said why.
 */
export async function runProcesses(options: RunOptions): Promise<number> {
  const { processes, host, signal, world } = options;
  const metrics = options.metricsPort === undefined ? undefined : await collectMetrics();
  const log = metrics?.counting(options.log) ?? options.log;
  const certificate = options.tls && (await readCertificate(options.tls, world));
  const node = new ServiceNode({
    processes,
    args: await withPorts(process.argv.slice(2), [
      { flag: '--port', host, port: options.port },
      { flag: '--console', host: '127.0.0.1', port: options.consolePort },
    ]),
    signal,
    clock: world.clock,
    log,
    prepareRestart: async () => certificate?.renew(),
    keyPair: () => certificate?.current(),
    onStart: (process) => metrics?.started(process),
    onEnd: (process, last) => metrics?.ended(process, last),
  });
  const stopListening = world.onHangUp(() => node.restart());
  const closers = [stopListening, () => node.stop()];
  try {
    const service = await node.start();
    const operations = metrics && (await serveOperations(node, metrics, options));
    if (operations) closers.push(() => operations.close());
    const metricsUrl = operations && new URL(service.url);
    if (metricsUrl) {
      metricsUrl.protocol = 'http:';
      metricsUrl.port = String(operations.port);
      metricsUrl.pathname = '/metrics';
    }
    options.onReady(
      service,
      metricsUrl?.href,
      options.consolePort === undefined ? undefined : await node.placeConsole(),
    );
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    options.onStopping();
    return 0;
  } catch (error) {
    if (error instanceof MemberFailed) return error.code;
    throw error;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Imported on demand: most nodes run without metrics. */
async function collectMetrics(): Promise<NodeMetrics> {
  const { NodeMetrics } = await import('./node-metrics.ts');
  return new NodeMetrics();
}

/** The certificate that the processes serve: what was in its files when they were last read, at the start or a restart. */
async function readCertificate(files: TlsFiles, { clock }: Pick<World, 'clock'>) {
  const { readKeyPair, readNextKeyPair } = await import('../../../service/http/tls.ts');
  let pair = readKeyPair(files);
  return {
    current: () => pair,
    /** Throws, and keeps what it has, if that in the files is not usable or not valid. */
    renew: () => {
      pair = readNextKeyPair(files, clock.now());
    },
  };
}

/** Serves health and metrics of the node: it is ready while one of its processes is. */
function serveOperations(node: ServiceNode, metrics: NodeMetrics, { host, metricsPort, signal }: RunOptions) {
  const answer = async () => {
    const answers = signal.aborted ? [] : (await node.ask<Readiness>('ready')).map(([, each]) => each);
    const none: Readiness = { status: 503, body: 'not ready\n' };
    return answers.find(({ status }) => status === 200) ?? answers[0] ?? none;
  };
  const text = async () => metrics.text(await node.ask<MetricValues>('metrics'));
  return listenForOperations(host, metricsPort!, { answer }, { text });
}

interface Port {
  readonly flag: string;
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * The arguments with free ports where 0 was given: a process that replaces the last one would take others. Rejects with
 * the listen error if the port of the console is taken, which a process would only log.
 */
async function withPorts(args: readonly string[], ports: readonly Port[]): Promise<string[]> {
  const servers = ports
    .filter(({ flag, port }) => port === 0 || (flag === '--console' && port !== undefined))
    .map((port) => ({ ...port, server: createServer() }));
  let words = [...args];
  for (const { flag, host, port, server } of servers) {
    const isGiven = (word: string | undefined) => word === flag || word?.startsWith(`${flag}=`);
    words = words.filter((word, i) => !isGiven(word) && !(words[i - 1] === flag && /^\d+$/.test(word)));
    words.push(
      `${flag}=${await (port === 0 ? listenOnFreePort(server, host) : tcpListen(server, host, port!))}`,
    );
  }
  await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return words;
}

/**
 * Listens on a free port that no other program is given by chance before a process listens on it: systems give ports
 * from 32,768 (Linux) or 49,152 (IANA, RFC 6335 section 6) on to those that ask for any. Returns it; rejects with the
 * listen error.
 */
async function listenOnFreePort(server: Server, host: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tcpListen(server, host, randomInt(10_000, 32_768));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
