import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { digestOf } from '../batch/keys.ts';
import type { Part } from '../read/range.ts';
import type { Mapping } from '../transform/mapping.ts';
import type { RecordKind } from '../transform/record-kind.ts';

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

/** Where the journals of imports are listed that differ from this one in the size of their batches only. */
export function siblingsPath(folder: string, name: ImportName): string {
  const text = JSON.stringify({ ...named(name), batchSize: null });
  return join(folder, `${digestOf(Buffer.from(text)).slice(0, 32)}.siblings`);
}

/** Everything that decides what is sent, as text: an import is resumed under the same only. */
export function optionsText(name: ImportName, mapping: Mapping, format: string | undefined): string {
  const { map, set, types, convert, extraFields, validate, delimiter } = mapping;
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

/** An option that an earlier run had otherwise. */
export interface Difference {
  /** As in `optionsText`. */
  readonly name: string;
  /** What it was then; null, false or empty where it was not given. */
  readonly before: unknown;
}

/** The options in which an earlier run's text differs from this one's. */
export function differences(before: string, now: string): Difference[] {
  const earlier = JSON.parse(before) as Record<string, unknown>;
  const present = JSON.parse(now) as Record<string, unknown>;
  return Object.keys({ ...earlier, ...present })
    .filter((name) => JSON.stringify(earlier[name]) !== JSON.stringify(present[name]))
    .map((name) => ({ name, before: earlier[name] }));
}

/** No flag makes these the same again: it is another import, which `--checkpoint` brought to the same journal. */
const APART: ReadonlySet<string> = new Set(['kind', 'inputs', 'baseUrl', 'workspace']);

/** Such differences belong to two imports, rather than to two runs of one. */
export function areApart(found: readonly Difference[]): boolean {
  return found.some(({ name }) => APART.has(name));
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
