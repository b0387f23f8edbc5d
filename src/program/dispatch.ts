import type { CommandClass, Program } from '../cli/command/command.ts';
import { reportFailure } from '../cli/command/report-failure.ts';
import { EXIT, type ExitCode } from '../cli/errors/exit-codes.ts';
import { Invocation } from '../cli/invocation/invocation.ts';
import { ALIASES, COMMANDS } from './commands.gen.ts';
import { findCommand, isTopicAlone } from './find-command.ts';

const NAMES = { ids: Object.keys(COMMANDS), aliases: ALIASES };

/** Runs the command or shows the help that `argv` requests. Resolves with the exit code and never rejects. */
export async function dispatch(argv: readonly string[], program: Program): Promise<ExitCode> {
  const invocation = new Invocation(argv);
  // Words after `--` belong to another program.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  try {
    if (requestsHelp(own)) {
      const { showHelp } = await import('./show-help.ts');
      showHelp(own, program);
      return EXIT.done;
    }
    const { id, rest } = findCommand(NAMES, argv);
    const { default: Command } = await COMMANDS[id]!();
    return await new Command(rest, { ...program, id, invocation }).execute();
  } catch (error) {
    return reportFailure(error, invocation, program.world);
  }
}

/** True where help is requested, and where nothing else can be meant: no words at all, or only a topic. */
function requestsHelp(own: readonly string[]): boolean {
  if (own.length === 0 || own[0] === 'help' || own.includes('--help') || own.includes('-h')) return true;
  return isTopicAlone(NAMES, own);
}

/** Loads the class of every command, by its id, for oclif's explicit strategy. */
export async function loadCommands(): Promise<Record<string, CommandClass>> {
  const entries = Object.entries(COMMANDS).map(async ([id, load]) => [id, (await load()).default] as const);
  return Object.fromEntries(await Promise.all(entries));
}
