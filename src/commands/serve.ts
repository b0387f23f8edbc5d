import { type Context, SvcCommand } from '../cli/command.ts';
import { SvcError } from '../cli/errors.ts';
import { Flags } from '../cli/oclif.ts';
import { serviceFlags, serviceOptions } from '../cli/serve-options.ts';

export default class Serve extends SvcCommand {
  static override summary = 'Run the whole service over HTTP';
  static override description =
    `Serves the data of the profile \`local\` unless --database names another. What is said about limits, the
window and webhooks is kept with the data, so every process on it acts alike. SIGTERM and Ctrl-C finish what is under way.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --json',
    '<%= config.bin %> <%= command.id %> --database ./demo.db --limit ingest=5000 --limit decisions=off',
  ];
  static override flags = {
    port: Flags.integer({
      summary: 'port to listen on; 0 takes a free one',
      default: 4010,
      min: 0,
      max: 65535,
    }),
    host: Flags.string({ summary: 'address to listen on', default: '127.0.0.1' }),
    database: Flags.string({ summary: 'SQLite file to keep the data in', helpValue: 'FILE' }),
    ...serviceFlags,
  };

  protected override async act({ flags, out, world, paths, signal }: Context<typeof Serve>): Promise<void> {
    const { startService } = await import('../service/start.ts');
    const service = await startService({
      database: flags.database ?? paths.database,
      host: flags.host,
      port: flags.port,
      ...serviceOptions(flags, world),
      log: (level, message, fields) =>
        out.info(
          JSON.stringify({ level, time: new Date(world.clock.now()).toISOString(), message, ...fields }),
        ),
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE'
        ? new SvcError('port_taken', `port ${flags.port} on ${flags.host} is taken`, {
            hint: 'stop what listens there, or take a free one with `svc serve --port 0`',
          })
        : error;
    });
    const { url, workspace, apiKey } = service;
    out.line({ ready: true, url, workspace, apiKey, pid: process.pid }, () => [
      `serving on ${url}\n`,
      `  export SVC_BASE_URL=${url} SVC_WORKSPACE=${workspace}${apiKey === null ? '' : ` SVC_API_KEY=${apiKey}`}\n`,
      'stop with Ctrl-C',
    ]);
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    out.notice('finishing what is under way');
    await service.close();
  }
}
