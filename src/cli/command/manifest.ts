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
  readonly allowNo?: boolean;
  readonly default?: unknown;
  readonly options?: readonly string[];
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
  readonly exitCodes: readonly ExitCode[];
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
