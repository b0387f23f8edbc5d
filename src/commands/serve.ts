import { type Context, SvcCommand } from '../cli/command/command.ts';
import { databaseError, databaseFlag, databaseOf } from '../cli/connection/database.ts';
import { isLoopback } from '../cli/connection/settings.ts';
import { toListenError } from '../cli/errors/listen-error.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { serviceFlags, serviceOptions, storedFlags } from '../features/serve/options.ts';
import { reachableUrl } from '../kit/reachable-url.ts';
import { shell } from '../kit/shell.ts';
import type { LogLevel } from '../service/operations/log.ts';

export default class Serve extends SvcCommand {
  static override summary = 'Run the whole service over HTTP';
  static override description =
    `Serves the data of the profile \`local\` unless --database names another. What is said about limits, the
window and webhooks is kept with the data, so every process on it acts alike. SIGTERM and Ctrl-C finish what is under way.`;
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
        'region this service serves; workspaces of others get slower answers, marked X-Service-Region: global',
      helpValue: 'NAME',
    }),
    port: Flags.integer({
      summary: 'port to listen on; 0 takes a free one',
      default: 4010,
      min: 0,
      max: 65535,
    }),
    host: Flags.string({ summary: 'address to listen on', default: '127.0.0.1' }),
    database: databaseFlag,
    'metrics-port': Flags.integer({
      summary: 'port for /metrics (Prometheus), /healthz and /readyz; none unless given',
      min: 0,
      max: 65535,
    }),
    'log-level': Flags.string({
      summary: 'least level that is logged (a JSON object a line on stderr)',
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
    const here = reachableUrl(bound);
    const { origin: url } = here;
    const everywhere = here.hostname !== bound.hostname;
    const metrics = metricsUrl === undefined ? {} : { metricsUrl };
    // svc takes plain http to a loopback address only, so any other address is exported as https.
    const base = isLoopback(here.hostname) ? url : `https://${here.hostname}`;
    out.line({ ready: true, url, workspace, apiKey, pid: process.pid, ...metrics }, () => [
      `serving ${flags.region ? `region ${flags.region} ` : ''}on ${everywhere ? `every address of this machine, port ${bound.port}` : url}\n`,
      metricsUrl === undefined ? '' : `metrics on ${metricsUrl}\n`,
      shell`  export SVC_BASE_URL=${base} SVC_WORKSPACE=${workspace}`,
      apiKey === null ? '' : shell` SVC_API_KEY=${apiKey}`,
      flags.region ? shell` SVC_REGION=${flags.region}\n` : '\n',
      'stop with Ctrl-C',
    ]);
    if (everywhere || !isLoopback(here.hostname))
      out.notice(
        'from other machines svc takes https only: put a proxy with TLS in front (docs/operations.md) and export its https:// address there',
      );
    const { kept, back } = storedFlags(service.deps.policy(), options);
    if (kept.length > 0)
      out.notice(
        `kept with this data from an earlier start: ${kept.join(' ')}; to set it back, stop and: ${invocation.again()} ${back.join(' ')}`,
      );
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    out.notice('finishing what is under way');
    await service.close();
  }
}
