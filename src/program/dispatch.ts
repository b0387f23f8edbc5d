import type { CommandClass, Program } from '../cli/command/command.ts';
import { readManifest } from '../cli/command/manifest.ts';
import { reportFailure } from '../cli/command/report-failure.ts';
import { dataDirOf } from '../cli/connection/paths.ts';
import { EXIT } from '../cli/errors/exit-codes.ts';
import { Invocation } from '../cli/invocation/invocation.ts';
import { installedPlugins } from '../features/plugins/installed.ts';
import { ALIASES, COMMANDS } from './commands.gen.ts';
import { type CommandNames, findCommand, isTopicAlone } from './find-command.ts';
import type { PluginHost } from './plugin-host.ts';

const NAMES = { ids: Object.keys(COMMANDS), aliases: ALIASES };

/** Commands that run without the hooks of plugins: one that a shell calls at every key, and those that repair plugins. */
const WITHOUT_HOOKS = /^(complete|plugins:.*)$/;

/**
 * Runs the command or shows the help that `argv` requests: directly where no plugin is installed, else through oclif.
 * Resolves with the exit code and never rejects.
 */
export async function dispatch(
  argv: readonly string[],
  start: Pick<Program, 'world' | 'version' | 'root'>,
): Promise<number> {
  const invocation = new Invocation(argv);
  // Words after `--` belong to another program.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const direct: Program = { ...start, manifest: () => readManifest(start.root) };
  try {
    const host = await pluginHost(argv, direct, invocation);
    const { names, program } = host ?? { names: NAMES, program: direct };
    if (requestsHelp(own, names)) {
      const { showHelp } = await import('./show-help.ts');
      showHelp(own, program);
      return EXIT.done;
    }
    const { id, rest } = findCommand(names, argv);
    if (host && !WITHOUT_HOOKS.test(id)) return await host.run(id, rest, invocation);
    const { default: Command } = await COMMANDS[id]!();
    return await new Command(rest, { ...program, id, invocation }).execute();
  } catch (error) {
    return reportFailure(error, invocation, direct.world);
  }
}

/** Loads the installed plugins; undefined where there are none, and for the commands that manage them. */
async function pluginHost(
  argv: readonly string[],
  program: Program,
  invocation: Invocation,
): Promise<PluginHost | undefined> {
  const dataDir = dataDirOf(program.world);
  if (dataDir === undefined || argv[0] === 'plugins') return undefined;
  const installed = installedPlugins(dataDir);
  if (installed.length === 0) return undefined;
  const { loadPlugins } = await import('./plugin-host.ts');
  return loadPlugins(installed, dataDir, program, invocation);
}

/** True where help is requested, and where nothing else can be meant: no words at all, or only a topic. */
function requestsHelp(own: readonly string[], names: CommandNames): boolean {
  if (own.length === 0 || own[0] === 'help' || own.includes('--help') || own.includes('-h')) return true;
  return isTopicAlone(names, own);
}

/** Loads the class of every command, by its id, for oclif's explicit strategy. */
export async function loadCommands(): Promise<Record<string, CommandClass>> {
  const entries = Object.entries(COMMANDS).map(async ([id, load]) => [id, (await load()).default] as const);
  return Object.fromEntries(await Promise.all(entries));
}
