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

  /** oclif ignores a hook that throws anything but an exit; svc warns of it. */
  override async runHook<T extends keyof Interfaces.Hooks, P extends Interfaces.Hooks = Interfaces.Hooks>(
    event: T,
    options: P[T]['options'],
    timeout?: number,
    captureErrors?: boolean,
  ) {
    const result = await super.runHook<T, P>(event, options, timeout, captureErrors);
    for (const { error, plugin } of result.failures)
      this.#out.warn(`hook ${String(event)}: ${new PluginError(plugin.name, error).message}`);
    return result;
  }
}
