import type { Program } from '../cli/command/command.ts';
import { EXIT } from '../cli/errors/exit-codes.ts';
import type { SvcError } from '../cli/errors/svc-error.ts';
import { toSvcError } from '../cli/errors/to-svc-error.ts';
import { Invocation } from '../cli/invocation/invocation.ts';
import { Output } from '../cli/terminal/output.ts';
import { sanitizeJson, sanitizeLine } from '../cli/terminal/sanitize.ts';
import { bold, red } from '../cli/terminal/text.ts';
import { ALIASES, COMMANDS } from './commands.gen.ts';
import { findCommand, isTopicAlone } from './find-command.ts';

/** Runs the command, or shows the help, that `argv` asks for. Resolves with the exit code and never rejects. */
export async function dispatch(
  argv: readonly string[],
  program: Omit<Program, 'invocation'>,
): Promise<number> {
  // What follows `--` belongs to another program.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const invocation = new Invocation(argv);
  const out = new Output(program.world, { json: own.includes('--json'), quiet: false });
  try {
    if (asksForHelp(own)) {
      const { showHelp } = await import('./show-help.ts');
      showHelp(own, program);
      return EXIT.done;
    }
    const { id, rest } = findCommand(NAMES, argv);
    const { default: Command } = await COMMANDS[id]!();
    invocation.command = id.replaceAll(':', ' ');
    return await new Command(rest, { ...program, id, invocation: invocation }).execute();
  } catch (error) {
    return report(toSvcError(error, own.includes('--debug')), invocation, out);
  }
}

const NAMES = { ids: Object.keys(COMMANDS), aliases: ALIASES };

/** True where help is asked for, and where nothing else can be meant: nothing at all, or a topic alone. */
function asksForHelp(own: readonly string[]): boolean {
  if (own.length === 0 || own[0] === 'help' || own.includes('--help') || own.includes('-h')) return true;
  return isTopicAlone(NAMES, own);
}

function report(error: SvcError, invocation: Invocation, out: Output): number {
  if (out.json) out.info(sanitizeJson(error.toJson(invocation)));
  else
    out.info([
      red(bold('error: ')),
      // A line end in a file's name, or in what a service answers, must not make a line that looks like one of svc.
      error.code === 'unexpected' ? error.message : sanitizeLine(error.message),
      error.requestId ? ` [${sanitizeLine(error.requestId)}]` : '',
      '\n  next: ',
      // A way on each line.
      error.hintFor(invocation).replace(/\n */g, '\n        '),
    ]);
  return error.exitCode;
}
