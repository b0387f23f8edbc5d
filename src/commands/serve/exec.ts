import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { serviceFlags, serviceOptions } from '../../features/serve/options.ts';
import type { Log } from '../../service/log.ts';

export default class ServeExec extends SvcCommand {
  static override summary = 'Run a command against a fresh service of its own';
  static override description =
    `Starts the whole service on a free port with empty data, runs what follows \`--\` with SVC_BASE_URL, SVC_WORKSPACE and
SVC_API_KEY set, and exits with its code. \`svc data export\` in it shows what that service holds; the data is removed afterwards. For tests: nothing to start, nothing to stop.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> -- npm test',
    '<%= config.bin %> <%= command.id %> --limit ingest=off -- ./e2e.sh',
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override usage = '<%= command.id %> [FLAGS] -- CMD [ARG]…';
  static override flags = {
    ...serviceFlags,
    // Whoever can reach this service is on its machine anyway, and a handler under test is too.
    'allow-loopback-webhooks': Flags.boolean({
      summary: 'admit webhook URLs on http and loopback addresses, which it does unless told not to',
      allowNo: true,
      default: true,
    }),
  };

  #command: string[] = [];

  /** What follows `--` is another program's command line: not a word of it is ours to parse. */
  override async execute(): Promise<ExitCode> {
    const end = this.argv.indexOf('--');
    if (end !== -1) this.#command = this.argv.splice(end).slice(1);
    return super.execute();
  }

  protected override async run({ flags, out, world, signal }: Context<typeof ServeExec>): Promise<ExitCode> {
    const [command, ...args] = this.#command;
    if (command === undefined)
      throw new SvcError('usage', 'there is no command to run', { hint: 'svc serve exec -- npm test' });
    const { runWithService } = await import('../../features/serve/exec.ts');
    let faults = 0;
    const log: Log = (_level, _message, fields) => {
      if (fields?.fault !== undefined) faults++;
    };
    const options = { ...serviceOptions(flags, world), log };
    const code = await runWithService({ command, args, world, signal, options });
    if (code === undefined)
      throw new SvcError(
        'file',
        `${command} cannot be run: there is no such program, or it may not be executed`,
        {
          hint: 'check the name, or run it through a shell: svc serve exec -- sh -c "…"',
        },
      );
    out.notice(`${command} ended with ${code}`);
    if (flags.faults !== undefined) out.notice(`faults injected: ${faults}`);
    // The command's own code, whatever it means to it.
    return code as ExitCode;
  }
}
