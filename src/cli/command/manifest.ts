import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitCode } from '../errors/exit-codes.ts';

/** A flag as the manifest (oclif's format) describes it. */
export interface ManifestFlag {
  readonly name: string;
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly helpGroup?: string;
  readonly helpValue?: string;
  readonly hidden?: boolean;
  readonly required?: boolean;
  readonly multiple?: boolean;
  /** Separates several values of one flag. */
  readonly delimiter?: string;
  readonly allowNo?: boolean;
  readonly default?: unknown;
  readonly options?: readonly string[];
  /** The type of the value where it is not a string; added to oclif's format. */
  readonly valueType?: 'integer';
}

export interface ManifestArg {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly options?: readonly string[];
}

export interface ManifestCommand {
  readonly id: string;
  readonly summary?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly usage?: string;
  readonly aliases: readonly string[];
  readonly hidden?: boolean;
  readonly strict: boolean;
  readonly args: Readonly<Record<string, ManifestArg>>;
  readonly flags: Readonly<Record<string, ManifestFlag>>;
  /** Empty for a command of a plugin that does not declare them. */
  readonly exitCodes: readonly ExitCode[];
  /** The plugin that the command comes from; undefined for a command of svc. */
  readonly plugin?: string;
}

/** The part of a plugin, as oclif loads it, that the help and completion need. */
export interface ManifestPlugin {
  readonly name: string;
  readonly commands: readonly PluginCommand[];
  readonly topics: readonly { readonly name: string; readonly description?: string | undefined }[];
}

/** A command as oclif describes it: any part may be missing, and an example may have a description. */
interface PluginCommand extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly examples?: readonly (string | { readonly command: string })[] | undefined;
}

/** All commands, sorted by id, with the program's version, description and topics from package.json. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly commands: readonly ManifestCommand[];
  readonly topics: Readonly<Record<string, { readonly description: string }>>;
}

/** Reads oclif.manifest.json and package.json in `root`. Only help and completion need them. */
export function readManifest(root: string): Manifest {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  return manifestOf(read('package.json'), read('oclif.manifest.json'));
}

/** Combines the contents of package.json and oclif.manifest.json; hidden commands are left out. */
export function manifestOf(
  pjson: { version: string; description: string; oclif: Pick<Manifest, 'topics'> },
  { commands }: { commands: Record<string, ManifestCommand> },
): Manifest {
  return {
    version: pjson.version,
    description: pjson.description,
    topics: pjson.oclif.topics,
    commands: Object.values(commands).filter((command) => !command.hidden),
  };
}

/** Adds the commands and topics of plugins. A command of svc is never replaced. */
export function withPlugins(own: Manifest, plugins: readonly ManifestPlugin[]): Manifest {
  const commands = [...own.commands];
  const topics = { ...own.topics };
  const taken = new Set(commands.flatMap(({ id, aliases }) => [id, ...aliases]));
  for (const plugin of plugins) {
    const added = plugin.commands.filter(({ id, hidden }) => !taken.has(id) && hidden !== true);
    commands.push(...added.map((command) => ofPlugin(command, plugin.name)));
    for (const { id } of added) {
      taken.add(id);
      const [topic = '', verb] = id.split(':');
      if (verb !== undefined) topics[topic] ??= { description: `Commands of the plugin ${plugin.name}` };
    }
    for (const { name, description } of plugin.topics)
      if (description !== undefined && own.topics[name] === undefined) topics[name] = { description };
  }
  return { ...own, topics, commands: commands.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Completes the description of a plugin's command. */
function ofPlugin(command: PluginCommand, plugin: string): ManifestCommand {
  const { description = '', examples = [] } = command;
  const [firstLine = ''] = description.split('\n');
  const empty = { aliases: [], strict: true, args: {}, flags: {}, exitCodes: [] };
  return {
    ...empty,
    ...command,
    summary: command.summary ?? firstLine,
    description: command.summary === undefined ? description.slice(firstLine.length) : description,
    examples: examples.map((example) => (typeof example === 'string' ? example : example.command)),
    plugin,
  };
}
