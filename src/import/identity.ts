import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RecordKind } from './check.ts';
import type { Part } from './input/range.ts';
import { digestOf } from './keys.ts';
import type { Shaping } from './shaping.ts';

/** What an import is named by. Two runs with the same name are one import. */
export interface ImportName {
  readonly kind: RecordKind;
  /** Paths as typed; `-` is standard input. */
  readonly inputs: readonly string[];
  /** What relative paths are relative to. */
  readonly cwd: string;
  readonly baseUrl: string;
  readonly workspace: string;
  readonly part: Part | undefined;
  readonly batchSize: number;
  readonly limit: number | undefined;
}

/** Where the journal of an import lies, unless `--checkpoint` says so. */
export function journalPath(dataDir: string, name: ImportName): string {
  return join(dataDir, 'imports', `${digestOf(Buffer.from(nameText(name))).slice(0, 32)}.journal`);
}

/** Everything that decides what is sent, as text: an import is resumed under the same only. */
export function optionsText(name: ImportName, shaping: Shaping, format: string | undefined): string {
  const { map, set, types, convert, extraFields, validate, delimiter } = shaping;
  return JSON.stringify({
    ...named(name),
    format: format ?? null,
    map: [...map],
    set: [...set],
    types: [...types],
    convert: convert ?? null,
    extraFields: extraFields ?? null,
    validate,
    delimiter: delimiter ?? null,
  });
}

/** The options in which two such texts differ, by name. */
export function differences(a: string, b: string): string[] {
  const left = JSON.parse(a) as Record<string, unknown>;
  const right = JSON.parse(b) as Record<string, unknown>;
  return Object.keys({ ...left, ...right }).filter(
    (name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]),
  );
}

function nameText(name: ImportName): string {
  return JSON.stringify(named(name));
}

/** A link and what it points to are one input. A missing one is found when it is opened. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function named({ kind, inputs, cwd, baseUrl, workspace, part, batchSize, limit }: ImportName) {
  return {
    kind,
    inputs: inputs.map((input) => (input === '-' ? '-' : realPath(resolve(cwd, input)))),
    baseUrl,
    workspace,
    part: part ?? null,
    batchSize,
    limit: limit ?? null,
  };
}
