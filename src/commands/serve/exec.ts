import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { aboveCeiling, appScriptIn, serviceFlags, serviceOptions } from '../../features/serve/options.ts';
import type { Log } from '../../service/platform/log.ts';

export default class ServeExec extends SvcCommand {
  static override summary = 'Run a command with a temporary service';
  static override description =
    `Starts the service on a free port with empty data, runs the command after \`--\` with SVC_BASE_URL, SVC_WORKSPACE and
SVC_API_KEY set, and exits with the command's exit code. The data is removed afterwards; until then, the command can run
\`svc data export\`. Intended for tests.

Ctrl-C or SIGTERM goes to the command. If it goes on running, it gets SIGTERM 10 seconds later, and SIGKILL after 10 more.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> -- npm test',
    '<%= config.bin %> <%= command.id %> --limit ingest=off -- ./e2e.sh',
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override usage = '<%= command.id %> [FLAGS] -- CMD [ARG]…';
  static override flags = {
    ...serviceFlags,
    // Only this machine can reach the service, and the handler under test runs here, too.
    'allow-loopback-webhooks': Flags.boolean({
      summary: 'accept webhook URLs with http and loopback addresses (default: true)',
      allowNo: true,
      default: true,
    }),
  };

  #command: string[] = [];

  /** Removes the words after `--`, which are the command line of another program, before svc parses its flags. */
  override async execute(): Promise<number> {
    const end = this.argv.indexOf('--');
    if (end !== -1) this.#command = this.argv.splice(end).slice(1);
    return super.execute();
  }

  protected override async run({
    flags,
    out,
    world,
    signal,
    root,
  }: Context<typeof ServeExec>): Promise<ExitCode> {
    const [command, ...args] = this.#command;
    if (command === undefined)
      throw new SvcError('usage', 'no command is given', {
        hint: 'write it after --, such as: svc serve exec -- npm test',
      });
    const { runWithService } = await import('../../features/serve/exec.ts');
    let faults = 0;
    const log: Log = (_level, _message, fields) => {
      if (fields?.fault !== undefined) faults++;
    };
    const options = { ...serviceOptions(flags, world), log, appScript: appScriptIn(root) };
    for (const warning of aboveCeiling(options)) out.warn(warning);
    const code = await runWithService({ command, args, world, signal, options });
    if (code === undefined)
      throw new SvcError('file', `cannot run ${command}: it does not exist or is not executable`, {
        hint: 'check the name, or run it in a shell: svc serve exec -- sh -c "…"',
      });
    out.notice(`${command} exited with ${code}`);
    if (flags.faults !== undefined) out.notice(`faults injected: ${faults}`);
    // The command's exit code, which may be any number.
    return code as ExitCode;
  }
}
