import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { shell } from '../../../kit/shell.ts';
import { filesIn, type Source } from '../input/archive/files-in.ts';
import { decodedText } from '../input/encoding.ts';
import { InputError } from '../input/input-error.ts';
import { breathe } from '../input/stopped.ts';
import type { Window } from '../input/window.ts';
import type { CellType } from '../record/cell-type.ts';
import type { Reject } from '../record/reject.ts';
import { cellsOf, newRow, rowCells, scanRow } from './csv/csv-rows.ts';
import { NotUtf8 } from './not-utf8.ts';
import { type Input, type OpenOptions, openInput } from './open.ts';
import type { Format, Reading } from './reading.ts';
import type { Mapped, MappersFor } from './record-mappers.ts';
import {
  type Place,
  passMapped,
  type RecordSink,
  type RecordSource,
  type RecordsOptions,
} from './record-source.ts';
import { readSample, SAMPLE } from './sample.ts';
import { notText } from './undecoded.ts';

const LINE_FEED = 0x0a;
const TABLE_NAME = /\.(csv|tsv|psv)(\.(gz|gzip|zst|zstd))?$/i;

/** What is known of an input that records of a rejects file come from. */
interface Origin {
  readonly format: Format;
  /** The cells of the header of a table, and what separates them. */
  readonly header?: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly trailing?: boolean | undefined;
  readonly dashes?: boolean | undefined;
  /** The first rows of a table. */
  readonly rows?: readonly (readonly string[])[] | undefined;
  /** The types that the input itself gives its columns. */
  readonly types?: ReadonlyMap<string, CellType> | undefined;
}

/** A line of a rejects file; undefined if it is none. */
interface Line {
  readonly reject: Partial<Reject>;
  readonly origin: Origin | undefined;
  readonly start: number;
  readonly next: number;
  readonly line: number;
}

export interface RejectsOptions extends RecordsOptions {
  /** How the inputs are opened that the records come from. */
  readonly openOptions: OpenOptions;
  readonly recordsOf: (input: Input, options: RecordsOptions) => Promise<RecordSource>;
}

/**
 * The records of a rejects file, each as it was in the input that it names: a row of a table below the header of that
 * input, or JSON. What is rejected again keeps the place in that input.
 */
export class RejectsRecords implements RecordSource {
  private readonly window: Window;
  private readonly name: string;
  private readonly options: RejectsOptions;
  private readonly origins = new Map<string, Origin | undefined>();
  private readonly mappers = new Map<Origin, (reject: Partial<Reject>) => Mapped>();
  private lines: Line[] = [];
  private line = 0;

  constructor(window: Window, name: string, options: RejectsOptions) {
    this.window = window;
    this.name = name;
    this.options = options;
  }

  get ended(): boolean {
    return this.window.ended && this.lines.length === 0;
  }

  get position(): number {
    return this.lines[0]?.start ?? this.window.offset;
  }

  get readUntil(): number {
    return this.window.base + this.window.end;
  }

  /** Reads lines, and finds out about the inputs that they name. */
  async more(): Promise<void> {
    const { window } = this;
    if (this.lines.length > 0) return;
    await window.more();
    for (;;) {
      const feed = window.buffer.indexOf(LINE_FEED, window.start);
      const complete = feed >= 0 && feed < window.end + (window.ended ? 1 : 0);
      if (!complete || window.start >= window.end) break;
      const text = window.buffer.toString('utf8', window.start, feed);
      const start = window.offset;
      window.start = Math.min(feed + 1, window.end);
      this.line++;
      if (text.trim() === '') continue;
      const reject = parsed(text);
      const { file } = reject;
      if (file !== undefined && !this.origins.has(file)) this.add(file, await this.originOf(file));
      const origin = file === undefined ? undefined : this.origins.get(file);
      this.lines.push({ reject, origin, start, next: window.offset, line: this.line });
      await breathe();
    }
    if (window.full) throw new InputError(`${this.name} has a line that is too long.`, `wc -L ${this.name}`);
  }

  drain(sink: RecordSink): void {
    let done = 0;
    for (const { reject, origin, start, next, line } of this.lines) {
      if (sink.done || sink.full) break;
      done++;
      if (!sink.countRecord()) {
        sink.skip(next);
        continue;
      }
      const { file = this.name, line: at = line, offset = start, raw = '', rawBase64 } = reject;
      const place: Place = { file, line: at, offset };
      const mapped = origin
        ? this.map(origin, reject)
        : { field: 'record', reason: 'is not a line of a rejects file' };
      const bytes = rawBase64 !== undefined && raw.includes('\uFFFD') ? { rawBase64 } : {};
      if ('field' in mapped) sink.reject({ ...place, ...mapped, raw, ...bytes }, next);
      else passMapped(sink, mapped, place, next, raw);
    }
    this.lines.splice(0, done);
  }

  /** The first rows of the tables, which decide the types of their columns. */
  get typeRows(): readonly (readonly string[])[] | undefined {
    const tables = [...this.origins.values()].flatMap((origin) => origin?.rows ?? []);
    return tables.length > 0 ? tables : undefined;
  }

  /** Adds an input. Throws an InputError if its columns are not those of the others. */
  private add(file: string, origin: Origin): void {
    const text = JSON.stringify(origin.header);
    const other = [...this.origins].find(
      ([, known]) => known?.header && origin.header && JSON.stringify(known.header) !== text,
    );
    this.origins.set(file, origin);
    if (!other) return;
    const makes = `${basename(file)}.part.rejects.ndjson`;
    const by = shell`jq -c ${`select(.file == ${JSON.stringify(file)})`} ${this.name} > ${makes}`;
    throw new InputError(`${this.name} has rows of tables with other columns: ${other[0]} and ${file}.`, by, {
      prepare: { by, name: this.name, makes },
    });
  }

  private map(origin: Origin, reject: Partial<Reject>): Mapped {
    let mapper = this.mappers.get(origin);
    if (!mapper) {
      mapper = mapperOf(origin, reject.file!, this.options);
      this.mappers.set(origin, mapper);
    }
    return mapper(reject);
  }

  /** Reads the beginning of the input that records come from. Throws an InputError for a table that is gone. */
  private async originOf(file: string): Promise<Origin> {
    const { reading, openOptions } = this.options;
    if (reading.columns)
      return { format: 'csv', header: reading.columns, delimiter: reading.delimiter ?? ',' };
    const found = await sourceOf(file, this.name, openOptions.cwd);
    if (!found) {
      if (!TABLE_NAME.test(file) && reading.format !== 'csv') return { format: 'ndjson' };
      throw new InputError(
        `${this.name} has rows of ${file === '-' ? 'standard input' : file}, whose header is not known any more.`,
        'name the columns with --columns',
        {
          flags: { without: ['columns'], more: ['--columns', 'COLUMNS'] },
          note: 'replace what is in capitals: COLUMNS are the names of the columns, such as userId,event,timestamp',
        },
      );
    }
    try {
      return await this.read(found, { ...reading, encoding: undefined });
    } catch (error) {
      // `--encoding` may be that of rows that were rejected as UTF-8, below a header in UTF-8.
      if (!(error instanceof NotUtf8) || reading.encoding === undefined) throw error;
      return this.read(found, reading);
    }
  }

  private async read(source: Source, reading: Reading): Promise<Origin> {
    const { openOptions, recordsOf } = this.options;
    const input = await openInput(source, { ...openOptions, reading });
    const { format } = input;
    try {
      if (format !== 'csv' && format !== 'parquet') return { format };
      const silent = { ...this.options, reading, onNotice: () => undefined };
      const sample = await readSample((mappers) => recordsOf(input, { ...silent, mappers }), SAMPLE);
      const { header, delimiter, trailing, dashes, types, rows } = sample;
      return { format, header, delimiter, trailing, dashes, types, rows };
    } finally {
      await input.close();
    }
  }
}

/** Finds an input by its name in a rejects file: in the folder of the command, or beside the rejects file. */
async function sourceOf(file: string, rejects: string, cwd: string): Promise<Source | undefined> {
  if (file === '-') return undefined;
  const [, archive = file] = /^(.*\.zip):/is.exec(file) ?? [];
  const found = [archive, join(dirname(rejects), basename(archive))].find((path) =>
    existsSync(resolve(cwd, path)),
  );
  if (found === undefined) return undefined;
  if (archive === file) return { name: found, file: found };
  const inside = await filesIn([found], cwd, () => undefined);
  return inside.find(({ name }) => name === found + file.slice(archive.length));
}

function parsed(text: string): Partial<Reject> {
  try {
    const value = JSON.parse(text) as Partial<Reject> | null;
    return typeof value?.file === 'string' && typeof value.raw === 'string' ? value : {};
  } catch {
    return {};
  }
}

/** Makes what maps the records of an input. */
function mapperOf(
  { format, header, delimiter = ',', trailing, dashes, types }: Origin,
  file: string,
  { mappers, reading, onNotice }: { mappers: MappersFor; reading: Reading; onNotice: (text: string) => void },
): (reject: Partial<Reject>) => Mapped {
  const { json, rows } = mappers(format === 'parquet' ? (types ?? new Map()) : undefined);
  const table = format === 'csv' && header ? rows(header, file) : undefined;
  for (const notice of table?.notices ?? []) onNotice(notice);
  const mark = Buffer.from(delimiter);
  const row = newRow();
  return ({ raw = '', rawBase64, truncated }) => {
    if (truncated) return { field: 'record', reason: 'is cut: the rejects file has only its beginning' };
    let text = raw;
    // Where the user corrected the text, that counts.
    if (rawBase64 !== undefined && raw.includes('\uFFFD')) {
      const decoded = reading.encoding && decodedText(Buffer.from(rawBase64, 'base64'), reading.encoding);
      if (!decoded) return { field: 'record', reason: notText(reading.encoding), fixableBy: ['encoding'] };
      text = decoded;
    }
    if (!table) {
      const mapped = json(text);
      if (!('unchanged' in mapped)) return mapped;
      const bytes = Buffer.from(`${text}\n`);
      return { bytes, length: bytes.length - 1, time: -1 };
    }
    const bytes = Buffer.from(`${text.replace(/[\r\n]+$/, '')}\n`);
    scanRow(bytes, 0, bytes.length, mark, row, reading.quote);
    const reason = row.error ?? (row.next === bytes.length ? undefined : 'is not one row of a table');
    return reason === undefined
      ? table.record(
          rowCells(cellsOf(bytes.toString('utf8', 0, row.end), delimiter, row.quoted, reading.quote), {
            header,
            trailing,
            dashes,
          }),
        )
      : { field: 'record', reason };
  };
}
