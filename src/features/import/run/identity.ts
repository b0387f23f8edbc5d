import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { digestOf } from '../deliver/keys.ts';
import type { Reading } from '../formats/reading.ts';
import { isAddress } from '../input/address.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { SENT } from '../option-table/table.ts';
import type { RecordKind } from '../record/record-kind.ts';
import type { Shard } from '../record/shard.ts';

/** Identifies an import: runs with the same name belong to the same import. */
export interface ImportName {
  readonly kind: RecordKind;
  /** Paths as typed, and names of addresses; `-` is standard input. */
  readonly inputs: readonly string[];
  /** The folder that relative paths refer to. */
  readonly cwd: string;
  readonly baseUrl: string;
  readonly workspace: string;
  readonly shard: Shard | undefined;
  readonly batchSize: number;
  readonly limit: number | undefined;
}

/** The path of the journal of an import without `--checkpoint`. */
export function journalPath(dataDir: string, name: ImportName): string {
  const text = JSON.stringify(named(name));
  return join(dataDir, 'imports', `${digestOf(Buffer.from(text)).slice(0, 32)}.journal`);
}

/** Returns everything that determines what is sent, as text. An import is resumed only if it is the same. */
export function optionsText(name: ImportName, mapping: Mapping, reading: Reading): string {
  const values: Readonly<Record<string, unknown>> = { ...name, ...mapping, ...reading };
  const sent = SENT.map(({ key, journal }) => [key, journal(values[key]) ?? null]);
  return JSON.stringify({ ...named(name), ...Object.fromEntries(sent) });
}

/** Resolves links: a link and its target are the same input. A missing file is reported when it is opened. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function named({ kind, inputs, cwd, baseUrl, workspace, shard, limit }: ImportName) {
  return {
    kind,
    inputs: inputs.map((input) =>
      input === '-' || isAddress(input) ? input : realPath(resolve(cwd, input)),
    ),
    baseUrl,
    workspace,
    shard: shard ?? null,
    limit: limit ?? null,
  };
}
