import { availableParallelism } from 'node:os';
import { type Context, SvcCommand } from '../cli/command/command.ts';
import { databaseError, databaseFlag, databaseOf } from '../cli/connection/database.ts';
import type { ExitCode } from '../cli/errors/exit-codes.ts';
import { toListenError } from '../cli/errors/listen-error.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { announce } from '../features/serve/announce.ts';
import {
  appScriptIn,
  processesOf,
  serviceFlags,
  serviceOptions,
  tlsOf,
  tracingOf,
} from '../features/serve/options.ts';
import { LOCAL } from '../profiles/profiles.ts';
import type { RunningService } from '../service/running-service.ts';
import type { LogLevel } from '../service/telemetry/log.ts';

export default class Serve extends SvcCommand {
  static override summary = 'Run the service over HTTP';
  static override description =
    `Serves the data of the profile \`local\`, or of --database. The configured limits, window and webhooks are stored with
the data, so that every process on it uses the same. On SIGTERM and Ctrl-C, the service completes the requests in
progress and exits. With --processes, a process that dies is replaced, and SIGHUP restarts one after another.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --json',
    '<%= config.bin %> <%= command.id %> --database ./demo.db --limit ingest=5000 --limit decisions=off',
    '<%= config.bin %> <%= command.id %> --console',
    '<%= config.bin %> <%= command.id %> --database postgres://svc@db.internal/svc --metrics-port 9090',
    '<%= config.bin %> <%= command.id %> --database postgres://svc@db.internal/svc --processes auto',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
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
    processes: Flags.string({
      summary: 'processes that share the port, or auto for one per core (default: this process)',
      helpValue: 'N|auto',
    }),
    'tls-cert': Flags.string({
      summary: 'PEM file of a certificate: serve https; read again on SIGHUP',
      helpValue: 'FILE',
    }),
    'tls-key': Flags.string({ summary: 'PEM file of its private key', helpValue: 'FILE' }),
    database: databaseFlag,
    'metrics-port': Flags.integer({
      summary: 'port for /metrics (Prometheus), /healthz and /readyz (default: not served)',
      min: 0,
      max: 65535,
    }),
    console: Flags.integer({
      summary:
        'serve the console (svc console) on a loopback port of its own: --console for a free one, or --console=PORT',
      helpValue: 'PORT',
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

  constructor(...[argv, call]: ConstructorParameters<typeof SvcCommand>) {
    // The parser knows no flag with an optional value.
    super(
      argv.map((word, i) => (word === '--console' && !/^\d/.test(argv[i + 1] ?? '') ? '--console=0' : word)),
      call,
    );
  }

  protected override async run(context: Context<typeof Serve>): Promise<ExitCode> {
    const { flags, out, world, paths, signal, invocation, version } = context;
    const { createLog } = await import('../service/telemetry/log.ts');
    const { withoutRepeats } = await import('../service/telemetry/log-repeats.ts');
    const database = databaseOf(flags.database, world, paths, out);
    const given = serviceOptions(flags, world);
    const processes = processesOf(flags.processes, availableParallelism());
    const tls = tlsOf(flags['tls-cert'], flags['tls-key']);
    const tracing = tracingOf(world.env, version);
    const { host, port, region, 'metrics-port': metricsPort } = flags;
    const log = withoutRepeats(
      createLog(
        (line) => out.info(line),
        world.clock.now,
        flags.quiet ? 'error' : (flags['log-level'] as LogLevel),
        // Says which process of several wrote the line.
        processes === undefined ? null : { pid: process.pid },
      ),
      world.clock.now,
    );
    const failed = (error: NodeJS.ErrnoException & { port?: number }) => {
      const taken = error.port ?? port;
      const address =
        taken === metricsPort
          ? { port: taken, flag: '--metrics-port', freePort: '9090' }
          : taken === flags.console && taken !== port
            ? { port: taken, flag: '--console', freePort: '4011' }
            : { port: taken, flag: '--port', freePort: '4010' };
      return databaseError(toListenError(error, { host, ...address }), database);
    };
    // Where --profile or --database was given, the printed commands have it anyway.
    const isPlain = flags.profile === undefined && flags.database === undefined;
    const placeFlags = isPlain && database === paths.database ? ['--profile', LOCAL] : [];
    const say = { region, placeFlags, processes, given, invocation };
    const startConsole = async (service: RunningService) => {
      const { consoleOfService } = await import('../features/console-server/of-service.ts');
      const isLocal = database === paths.database;
      const { version, root } = context;
      return consoleOfService(service, {
        database,
        paths,
        version,
        root,
        port: flags.console!,
        clock: world.clock,
        log,
        isLocal,
      });
    };
    const stopping = () => out.notice('shutting down');

    const cluster = processes === undefined ? undefined : await import('node:cluster');
    if (processes !== undefined && cluster!.default.isPrimary) {
      const { runProcesses } = await import('../features/serve/processes/run.ts');
      return runProcesses({
        processes,
        host,
        port,
        metricsPort,
        consolePort: flags.console,
        tls,
        signal,
        world,
        log,
        onReady: (service, metricsUrl, consoleUrl) =>
          announce(out, service, { ...say, metricsUrl, consoleUrl }),
        onStopping: stopping,
      }).catch((error) => {
        throw failed(error);
      }) as Promise<ExitCode>;
    }

    const { countInNode, keyPairOfNode, readyService, serveAsMember } = await import(
      '../features/serve/processes/member.ts'
    );
    const member = cluster?.default.worker && {
      share: 1 / processes!,
      reports: cluster.default.worker.id === 1,
      metrics: metricsPort !== undefined,
      countClients: countInNode(),
      keyPair: tls && (await keyPairOfNode()),
    };
    const starting = import('../service/start.ts').then(({ startService }) =>
      startService({
        ...given,
        database,
        dataDir: paths.dataDir,
        version,
        appScript: appScriptIn(context.root),
        metricsPort: member ? undefined : metricsPort,
        host,
        port,
        tls,
        tracing,
        log,
        member,
      }),
    );
    // A node that is told to read its certificate again while it starts does so once it has started.
    const reload = () =>
      starting.then(
        (service) => service.reloadTls(),
        () => {},
      );
    const stopReloading = tls && !member ? world.onHangUp(() => void reload()) : () => {};
    const service = await starting.catch((error) => {
      throw failed(error);
    });
    if (member) {
      await serveAsMember(service, signal, world, () => startConsole(service));
      return 0;
    }
    const console =
      flags.console === undefined
        ? undefined
        : await startConsole(service).catch(async (error) => {
            await service.close(0);
            throw failed(error);
          });
    announce(out, readyService(service), {
      ...say,
      metricsUrl: service.metricsUrl,
      consoleUrl: console?.newUrl(),
    });
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    stopping();
    stopReloading();
    await console?.close();
    await service.close();
    return 0;
  }
}
