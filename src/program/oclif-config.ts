import type { Interfaces } from '@oclif/core';
import { Config } from '@oclif/core/config';
import type { ManifestPlugin } from '../cli/command/manifest.ts';
import { PluginError } from '../cli/errors/plugin-error.ts';
import type { Output } from '../cli/terminal/output.ts';

/** A command as oclif runs it; `load` resolves with its class. */
export interface LoadableCommand {
  readonly id: string;
  readonly pluginName?: string | undefined;
  load(): Promise<unknown>;
}

/** The part of oclif's `Config` that runs commands and hooks. */
export interface PluginConfig {
  readonly name: string;
  readonly plugins: ReadonlyMap<
    string,
    ManifestPlugin & { readonly isRoot: boolean; readonly commands: readonly LoadableCommand[] }
  >;
  findCommand(id: string, options: { must: true }): LoadableCommand;
  runCommand(id: string, argv: string[], command?: LoadableCommand | null): Promise<unknown>;
  runHook(event: string, options: Record<string, unknown>): Promise<unknown>;
}

/** Loads oclif's `Config` of the program in `root`, with the plugins in `folder`. */
export async function loadConfig(root: string, folder: string, out: Output): Promise<PluginConfig> {
  const config = new ProgramConfig(root, folder, out);
  await config.load();
  return config;
}

class ProgramConfig extends Config {
  readonly #folder: string;
  readonly #out: Output;

  constructor(root: string, folder: string, out: Output) {
    super({ root, devPlugins: false });
    this.#folder = folder;
    this.#out = out;
  }

  /** Without plugins of its own, oclif would look for them beside the data of svc. */
  override scopedEnvVar(name: string): string | undefined {
    return name === 'DATA_DIR' ? this.#folder : super.scopedEnvVar(name);
  }

  /** Warns of a hook that fails, which oclif ignores. A hook that exits stops the command, in the name of its plugin. */
  override async runHook<T extends keyof Interfaces.Hooks, P extends Interfaces.Hooks = Interfaces.Hooks>(
    event: T,
    options: P[T]['options'],
    timeout?: number,
  ) {
    const result = await super.runHook<T, P>(event, options, timeout, true);
    for (const { error, plugin } of result.failures) {
      const { code, oclif } = error as { code?: unknown; oclif?: { exit?: number } };
      if (code === 'EEXIT') throw error;
      const failure = new PluginError(plugin.name, error);
      if (oclif?.exit) throw failure;
      this.#out.warn(`hook ${String(event)}: ${failure.message}`);
    }
    return result;
  }
}
