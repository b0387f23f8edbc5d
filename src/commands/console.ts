import { type Context, SvcCommand } from '../cli/command/command.ts';
import { EXIT, type ExitCode } from '../cli/errors/exit-codes.ts';
import { toListenError } from '../cli/errors/listen-error.ts';
import { Flags } from '../cli/flags/oclif.ts';

export default class Console extends SvcCommand {
  static override summary = 'Show the service on a web page on this machine';
  static override description =
    `Serves a page on a loopback address, with the live events, users, decisions, contents, notifications, webhooks, limits
and imports of the service. The API key stays in this command. The printed address holds a code that opens the page once,
within five minutes. If a console of the same service is already running, prints a new address of it and exits. The page
can change a remote service only with --write.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --open',
    '<%= config.bin %> <%= command.id %> --profile prod --write',
  ];
  static override exitCodes = [0, 1, 2, 4] as const;
  static override flags = {
    open: Flags.boolean({ summary: 'open the page in the browser' }),
    port: Flags.integer({
      summary: 'port to listen on (default: a free one, or that of a running console)',
      min: 0,
      max: 65535,
      helpValue: 'N',
    }),
    write: Flags.boolean({
      summary: 'let the page change a remote service; it can always change the local one',
    }),
  };

  protected override async run(context: Context<typeof Console>): Promise<ExitCode> {
    const { flags, out, signal } = context;
    const { joinConsole, openConsole } = await import('../features/console-server/command.ts');
    const options = { open: flags.open === true, port: flags.port, write: flags.write === true };
    if (await joinConsole(context, options)) return EXIT.done;
    const console = await openConsole(context, options).catch((error) => {
      throw toListenError(error, {
        host: '127.0.0.1',
        port: flags.port ?? 0,
        flag: '--port',
        freePort: '4011',
      });
    });
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    out.notice('shutting down');
    await console.close();
    return EXIT.done;
  }
}
