import { type Context, SvcCommand } from '../cli/command/command.ts';
import { databaseError, databaseFlag, databaseOf } from '../cli/connection/database.ts';
import { isLoopback } from '../cli/connection/settings.ts';
import { toListenError } from '../cli/errors/listen-error.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { aboveCeiling, serviceFlags, serviceOptions, storedFlags } from '../features/serve/options.ts';
import { reachableUrl } from '../kit/reachable-url.ts';
import { shell } from '../kit/shell.ts';
import type { LogLevel } from '../service/operations/log.ts';

export default class Serve extends SvcCommand {
  static override summary = 'Run the service over HTTP';
  static override description =
    `Serves the data of the profile \`local\`, or of --database. The configured limits, window and webhooks are stored with
the data, so that every process on it uses the same. On SIGTERM and Ctrl-C, the service completes the requests in
progress and exits.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --json',
    '<%= config.bin %> <%= command.id %> --database ./demo.db --limit ingest=5000 --limit decisions=off',
    '<%= config.bin %> <%= command.id %> --database postgres://svc@db.internal/svc --metrics-port 9090',
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = {
    region: Flags.string({
      summary:
        'region of this service; workspaces of other regions get slower answers with X-Service-Region: global',
      helpValue: 'NAME',
    }),
    port: Flags.integer({
      summary: 'port to listen on; 0 selects a free one',
      default: 4010,
      min: 0,
      max: 65535,
    }),
    host: Flags.string({ summary: 'address to listen on', default: '127.0.0.1' }),
    database: databaseFlag,
    'metrics-port': Flags.integer({
      summary: 'port for /metrics (Prometheus), /healthz and /readyz (default: not served)',
      min: 0,
      max: 65535,
    }),
    'log-level': Flags.string({
      summary: 'minimum level of log lines (one JSON object per line on stderr)',
      options: ['debug', 'info', 'warn', 'error'] as const,
      default: 'info',
    }),
    ...serviceFlags,
  };

  protected override async run({
    flags,
    out,
    world,
    paths,
    signal,
    invocation,
  }: Context<typeof Serve>): Promise<void> {
    const { startService } = await import('../service/start.ts');
    const { createLog } = await import('../service/operations/log.ts');
    const { withoutRepeats } = await import('../service/operations/repeats.ts');
    const database = databaseOf(flags.database, world, paths, out);
    const options = serviceOptions(flags, world);
    const service = await startService({
      database,
      dataDir: paths.dataDir,
      metricsPort: flags['metrics-port'],
      host: flags.host,
      port: flags.port,
      ...options,
      log: withoutRepeats(
        createLog((line) => out.info(line), world.clock.now, flags['log-level'] as LogLevel),
        world.clock.now,
      ),
    }).catch((error: NodeJS.ErrnoException & { port?: number }) => {
      const port = error.port ?? flags.port;
      const address =
        port === flags['metrics-port']
          ? { port, flag: '--metrics-port', freePort: '9090' }
          : { port, flag: '--port', freePort: '4010' };
      throw databaseError(toListenError(error, { host: flags.host, ...address }), database);
    });
    const { metricsUrl, workspace, apiKey } = service;
    const bound = new URL(service.url);
    const reachable = reachableUrl(bound);
    const { origin: url } = reachable;
    const allAddresses = reachable.hostname !== bound.hostname;
    const metrics = metricsUrl === undefined ? {} : { metricsUrl };
    // svc accepts plain http only for loopback addresses, so any other address is printed as https.
    const base = isLoopback(reachable.hostname) ? url : `https://${reachable.hostname}`;
    out.line({ ready: true, url, workspace, apiKey, pid: process.pid, ...metrics }, () => [
      `serving ${flags.region ? `region ${flags.region} ` : ''}on ${allAddresses ? `all addresses of this machine, port ${bound.port}` : url}\n`,
      metricsUrl === undefined ? '' : `metrics on ${metricsUrl}\n`,
      shell`  export SVC_BASE_URL=${base} SVC_WORKSPACE=${workspace}`,
      apiKey === null ? '' : shell` SVC_API_KEY=${apiKey}`,
      flags.region ? shell` SVC_REGION=${flags.region}\n` : '\n',
      'stop with Ctrl-C',
    ]);
    if (allAddresses || !isLoopback(reachable.hostname))
      out.notice(
        'svc on other machines requires https: run a TLS proxy in front of this service (docs/operations.md), and set SVC_BASE_URL to its address',
      );
    for (const warning of aboveCeiling(service.deps.policy())) out.warn(warning);
    const { stored, defaults } = storedFlags(service.deps.policy(), options);
    if (stored.length > 0)
      out.notice(
        `settings stored with this data: ${stored.join(' ')}; to restore the defaults, stop and run: ${invocation.again()} ${defaults.join(' ')}`,
      );
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    out.notice('shutting down');
    await service.close();
  }
}
