import { type ExportType, exportFields } from '../../../contract/export.ts';
import { csvHeader, csvOf, ndjsonOf, removalLine } from './lines.ts';
import { type ParquetState, ParquetWriter } from './parquet.ts';
import type { Page } from './source.ts';

export const FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Turns pages into the bytes of a file. */
export interface Encoder {
  /** Resolves to the next bytes of the file; undefined while what was taken is kept for later. */
  add(type: ExportType, workspace: string, page: Page): Promise<Uint8Array | undefined>;
  /** Resolves to the bytes of all that was taken; undefined if there are none. */
  flush(): Promise<Uint8Array | undefined>;
  /** Resolves to the end of the file. */
  end(): Promise<Uint8Array>;
  /** What `encoderOf` needs to go on after the bytes so far, as JSON. */
  state(): ParquetState | null;
}

/**
 * Returns the encoder of a format; `state` is that of an interrupted export. CSV and Parquet take one type. `onTerminal`:
 * people read it there.
 */
export function encoderOf(
  format: Format,
  types: readonly ExportType[],
  state: ParquetState | null | undefined,
  onTerminal: boolean,
): Encoder {
  if (format === 'parquet') return parquetEncoder(types[0]!, state ?? undefined);
  let isBegun = state !== undefined;
  const start = () => {
    const header = format === 'csv' && !isBegun ? csvHeader(types[0]!) : '';
    isBegun = true;
    return header;
  };
  return {
    add: async (type, workspace, page) =>
      Buffer.from(
        start() +
          (format === 'csv'
            ? csvOf(type, workspace, page, onTerminal)
            : ndjsonOf(type, workspace, page) +
              (page.removedBefore === undefined
                ? ''
                : removalLine(`${type}s`, workspace, page.removedBefore))),
      ),
    flush: async () => undefined,
    end: async () => Buffer.from(start()),
    state: () => null,
  };
}

function parquetEncoder(type: ExportType, state: ParquetState | undefined): Encoder {
  const fields = exportFields(type);
  const writer = new ParquetWriter(
    [['workspace', 'text'], ...fields.map(([name, [kind]]) => [name, kind] as const)],
    state,
  );
  return {
    add: (_, workspace, { columns, rows }) =>
      writer.add([Array<string>(rows).fill(workspace), ...fields.map(([name]) => columns[name]!)]),
    flush: () => writer.flush(),
    end: () => writer.end(),
    state: () => writer.state,
  };
}
