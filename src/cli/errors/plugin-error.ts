import { shell } from '../../kit/shell.ts';
import { SvcError } from './svc-error.ts';

/** What oclif's errors carry: the exit code, and advice. */
interface OclifError extends Error {
  readonly oclif?: { readonly exit?: number };
  readonly suggestions?: readonly string[];
}

/** The failure of a plugin's command or hook, with the exit code that the plugin chose. */
export class PluginError extends SvcError {
  readonly #exit: number | undefined;

  constructor(plugin: string, thrown: unknown) {
    const error = thrown as OclifError;
    const message = thrown instanceof Error ? error.message : String(thrown);
    super('plugin', `plugin ${plugin}: ${message}`, {
      hint:
        error.suggestions?.join('\n') ??
        shell`report it to the author of the plugin, or: svc plugins uninstall ${plugin}`,
      cause: thrown,
    });
    this.#exit = error.oclif?.exit;
  }

  override get exitCode(): number {
    return this.#exit ?? super.exitCode;
  }
}
