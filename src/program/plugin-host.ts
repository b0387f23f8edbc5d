import type { Program } from '../cli/command/command.ts';
import { readManifest, withPlugins } from '../cli/command/manifest.ts';
import { reportFailure } from '../cli/command/report-failure.ts';
import { EXIT } from '../cli/errors/exit-codes.ts';
import { PluginError } from '../cli/errors/plugin-error.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import type { Invocation } from '../cli/invocation/invocation.ts';
import { Output } from '../cli/terminal/output.ts';
import { type InstalledPlugin, pluginFolder } from '../features/plugins/installed.ts';
import { shell } from '../kit/shell.ts';
import { ALIASES, COMMANDS } from './commands.gen.ts';
import { aliasesOf, type CommandNames } from './find-command.ts';
import { type LoadableCommand, loadConfig, type PluginConfig } from './oclif-config.ts';
import { shareWithPlugins } from './plugin-entry.ts';

/** The program together with its plugins: oclif runs the commands and hooks, svc shows help and errors. */
export interface PluginHost {
  /** Those of svc, which no plugin replaces, and those of plugins. */
  readonly names: CommandNames;
  /** The program whose manifest includes the plugins. */
  readonly program: Program;
  /** Runs a command and the hooks of all plugins around it. Resolves with the exit code and never rejects. */
  run(id: string, argv: readonly string[], invocation: Invocation): Promise<number>;
}

/** Loads the plugins through oclif. A plugin that cannot be loaded is named in a warning and left out. */
export async function loadPlugins(
  installed: readonly InstalledPlugin[],
  dataDir: string,
  program: Program,
  invocation: Invocation,
): Promise<PluginHost> {
  const { world, root } = program;
  const out = new Output(world, { json: invocation.has('--json'), quiet: false });
  showWarnings(out);
  shareWithPlugins(root, dataDir);
  const config = await loadConfig(root, pluginFolder(dataDir), out);
  for (const { name } of installed) {
    if (!config.plugins.has(name))
      out.warn(
        shell`the plugin ${name} cannot be loaded; install it again, or: svc plugins uninstall ${name}`,
      );
  }
  const plugins = [...config.plugins.values()].filter(({ isRoot }) => !isRoot);
  const manifest = withPlugins(readManifest(root), plugins);
  const added = manifest.commands.filter(({ plugin }) => plugin !== undefined);
  const names = {
    ids: [...Object.keys(COMMANDS), ...added.map(({ id }) => id)],
    aliases: { ...aliasesOf(added), ...ALIASES },
  };
  return {
    names,
    program: { ...program, manifest: () => manifest },
    run: (id, argv, call) => runCommand(config, id, argv, call, program),
  };
}

/** Runs what oclif's own `run` does: the hooks `init`, `prerun`, `postrun` and `finally` around the command. */
async function runCommand(
  config: PluginConfig,
  id: string,
  argv: readonly string[],
  invocation: Invocation,
  { world }: Program,
): Promise<number> {
  const words = [...argv];
  const command = commandOf(config, id);
  let thrown: unknown;
  try {
    await config.runHook('init', { id, argv: words });
    await config.runCommand(id, words, command);
  } catch (error) {
    thrown = error;
  }
  try {
    const error = thrown instanceof Error ? thrown : undefined;
    await config.runHook('finally', { id, argv: words, Command: command, error });
  } catch (error) {
    thrown ??= error;
  }
  if (thrown === undefined) return EXIT.done;
  const { code, oclif } = thrown as { code?: unknown; oclif?: { exit?: number } };
  // `this.exit(N)` in a command or a hook, and every failure that a command of svc has already reported.
  if (code === 'EEXIT') return oclif?.exit ?? EXIT.unexpected;
  const plugin = command.pluginName ?? config.name;
  return reportFailure(
    thrown instanceof SvcError || thrown instanceof PluginError ? thrown : new PluginError(plugin, thrown),
    invocation,
    world,
  );
}

/** Returns a command of svc, loaded alone, or else that of a plugin. */
function commandOf(config: PluginConfig, id: string): LoadableCommand {
  const load = COMMANDS[id];
  if (load === undefined) return config.findCommand(id, { must: true });
  const own = config.plugins.get(config.name)?.commands.find((command) => command.id === id);
  // Not through oclif, which would load every command of svc.
  return { id, ...own, load: async () => Object.assign((await load()).default, { id }) };
}

/** Shows what oclif and plugins pass to `process.emitWarning` as warnings of svc. */
function showWarnings(out: Output): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => out.warn(message));
}
