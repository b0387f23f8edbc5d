import { isUtf8 } from 'node:buffer';
import { shell, shellPath } from '../../../kit/shell.ts';
import { asCsv } from '../input/archive/files-in.ts';
import { InputError } from '../input/input-error.ts';
import { rejectedFile } from '../record/reject.ts';
import { refuseDocument } from './json/documents.ts';
import { jsonShape, type Known, pathText } from './json/find-records.ts';
import { NotUtf8 } from './not-utf8.ts';
import { refuseProse } from './prose.ts';
import type { Format, Reading } from './reading.ts';
import { notUtf8Lines } from './undecoded.ts';

/** The format of an input, and the path of the records in JSON. */
export interface Detected {
  readonly format: Format;
  readonly path?: readonly string[] | undefined;
}

const BY_NAME: [RegExp, Format][] = [
  [/\.(ndjson|jsonl|ldjson|json)$/i, 'ndjson'],
  [/\.(csv|tsv|psv)$/i, 'csv'],
];

/** File types that are imported by mistake, by their first bytes, with the command that converts each. */
const OTHERS: {
  magic: number[];
  at?: number;
  what: string;
  /** The command that makes something that can be imported, and what it makes. */
  prepare: (name: string) => readonly [by: string, makes: string];
}[] = [
  {
    magic: [0x42, 0x5a, 0x68],
    what: 'compressed with bzip2',
    prepare: (name) => [reading('bzip2 -dc', name), '-'],
  },
  {
    magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    what: 'compressed with xz',
    prepare: (name) => [reading('xz -dc', name), '-'],
  },
  {
    magic: [0x75, 0x73, 0x74, 0x61, 0x72],
    at: 257,
    what: 'a tar archive',
    prepare: (name) => {
      if (name === '-') return ['mkdir -p unpacked && tar -xf - -C unpacked', 'unpacked'];
      const path = name.startsWith('-') ? `./${name}` : name;
      const folder = path.replace(/(\.tar)?(\.\w+)?$/i, '');
      return [shell`mkdir -p ${folder} && tar -xf ${path} -C ${folder}`, folder];
    },
  },
  {
    magic: [0x25, 0x50, 0x44, 0x46],
    what: 'a PDF',
    prepare: (name) => [shell`pdftotext -layout ${name}`, name.replace(/(\.pdf)?$/i, '.txt')],
  },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an old Excel workbook',
    prepare: (name) => [shell`libreoffice --convert-to csv ${name}`, asCsv(name)],
  },
];

/** Tables that only programs read, by the text that they start with. */
const TABLES: readonly (readonly [start: string, what: string])[] = [
  ['Obj\x01', 'an Avro file'],
  ['ARROW1', 'an Arrow file'],
  ['ORC', 'an ORC file'],
  ['SQLite format 3\0', 'a SQLite database'],
];

/** The escapes by which ISO-2022-JP goes over to Japanese. */
const JAPANESE = ['\x1b$B', '\x1b$@'];

/** The command that reads the input; standard input has no name. */
function reading(command: string, name: string): string {
  return name === '-' ? command : `${command} ${shellPath(name)}`;
}

/** Above this share of non-text bytes, a sample is binary. A single invalid record stays below. */
const BINARY_SHARE = 0.1;
/** The same where it is not UTF-8 and has that many different ones: no text of another encoding has them. */
const NOT_UTF8_BINARY_SHARE = 0.03;
const MIN_CONTROLS = 4;
/** Tab, line feed, form feed, carriage return, and the separator of JSON text sequences. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1e]);

/** Above this share of zeros in every second byte, and none in the others, it is UTF-16. */
const UTF_16_SHARE = 0.8;

export interface DetectOptions {
  readonly reading: Reading;
  readonly known: Known;
  /** Names of a record, by which it is told from an object around records. */
  readonly fields: ReadonlySet<string>;
  /** The command that prints the text, where it is not the file itself. */
  readonly print?: string | undefined;
  /** What says of which type the input is, where that is not its name. */
  readonly typeName?: string | undefined;
}

/** A line of a log that starts with a time in brackets, as that of Apache's errors. */
const BRACKETED = /^\[[^\]"{]*\]\s*[^\s,\]]/;

/**
 * Detects the format by the extension of the name (before `.gz` and `.zst`), else by the first character, and where the
 * records of JSON are. `head` is the beginning of the decompressed input. Returns undefined if more of it is needed.
 * Throws an InputError for binary data, for text without columns, and for several arrays of which none was chosen.
 */
export function detectFormat(name: string, head: Buffer, options: DetectOptions): Detected | undefined {
  if (rejectedFile(head) !== undefined) return { format: 'rejects' };
  refuseBinary(name, head);
  const { known, fields } = options;
  const { format, records, delimiter } = options.reading;
  if (records) return { format: 'json', path: records };
  if (format && format !== 'json') return { format };
  const first = firstCharacter(head);
  if (first === '<') refuseMarkup(name, head);
  if (first === '{') {
    refuseBulk(name, head);
    refuseDocument(name, head, options.print);
  }
  const bare = (options.typeName ?? name).replace(/\.(gz|gzip|zst|zstd)$/i, '');
  const named = format ?? BY_NAME.find(([pattern]) => pattern.test(bare))?.[1];
  if (named !== 'json' && first !== '[') refuseCarriageReturns(name, head);
  if (named === 'csv') return { format: named };
  if (first === undefined && known === 'more') return undefined;
  const isLog = !named && BRACKETED.test(head.toString('utf8', 0, 4096).trimStart());
  if (first === '{' || (first === '[' && !isLog)) {
    const shape = jsonShape(head, known, fields);
    if (shape && 'choices' in shape) throw severalArrays(name, shape.choices);
    if (shape && 'brokenAt' in shape) throw brokenObject(name, head, shape.brokenAt);
    if (shape?.format === 'ndjson' && format) return { format, path: [] };
    return shape;
  }
  if (named) return { format: named, path: [] };
  if (first === undefined) return { format: 'ndjson' };
  if (known === 'more' && !head.includes('\n')) return undefined;
  if (delimiter === undefined) refuseProse(name, head, options.print);
  return { format: 'csv' };
}

/** One JSON object, where something in it is not JSON. */
function brokenObject(name: string, head: Buffer, at: number): InputError {
  const before = head.toString('utf8', 0, at).split('\n');
  const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  return new InputError(
    `${name === '-' ? 'standard input' : name} is one JSON object with an error in ${place}.`,
    name === '-' ? 'jq .' : shell`jq . ${name}`,
  );
}

function severalArrays(name: string, choices: readonly string[]): InputError {
  return new InputError(
    `${name} has several arrays of objects: ${choices.join(', ')}.`,
    shell`add --records ${choices[0]!}`,
    { flags: { without: ['records'], more: ['--records', choices[0]!] } },
  );
}

/** The notice about an array that was found in a document. */
export function foundText(name: string, path: readonly string[]): string {
  return `${name === '-' ? 'standard input' : name} holds its records in the array at ${pathText(path)} (--records ${pathText(path)})`;
}

/** A page or a document with tags holds no records that can be told from the rest. */
function refuseMarkup(name: string, head: Buffer): void {
  const text = head
    .toString('utf8', 0, 1024)
    .replace(/^\uFEFF/, '')
    .trimStart();
  const what = /^<(!doctype html|html)\b/i.test(text)
    ? 'a web page (HTML)'
    : /^<(\?xml\b|!--|!DOCTYPE\b)/i.test(text)
      ? 'XML'
      : undefined;
  if (what === undefined) return;
  throw new InputError(
    `${name === '-' ? 'standard input' : name} is ${what}, not a table or JSON.`,
    'export its data as CSV or JSON, and import that',
  );
}

/** Lines for the bulk endpoint of Elasticsearch: an action before each document. */
function refuseBulk(name: string, head: Buffer): void {
  const [action = '', document = ''] = head.toString('utf8', 0, 64 * 1024).split('\n', 2);
  if (!/^\s*\{\s*"(index|create)"\s*:\s*\{[^{}]*\}\s*\}\s*$/.test(action) || !document.startsWith('{'))
    return;
  const filter = 'select((has("index") or has("create") or has("delete")) | not)';
  const by = name === '-' ? shell`jq -c ${filter}` : `${shell`jq -c ${filter}`} ${shellPath(name)}`;
  throw new InputError(
    `${name === '-' ? 'standard input' : name} is for the bulk endpoint of Elasticsearch: every second line is an action.`,
    by,
    { prepare: { by, name, makes: '-' } },
  );
}

/** Lines of old Macs end in carriage returns alone: all of the file would be one line. */
function refuseCarriageReturns(name: string, head: Buffer): void {
  if (head.includes('\n') || head.filter((byte) => byte === 0x0d).length < 2) return;
  const command = `tr '\\r' '\\n' < ${shellPath(name)}`;
  throw new InputError(
    `${name === '-' ? 'standard input' : name} has lines that end in carriage returns alone.`,
    "convert the line ends before the import: tr '\\r' '\\n'",
    name === '-' ? {} : { prepare: { by: command, name, makes: '-' } },
  );
}

function firstCharacter(head: Buffer): string | undefined {
  const text = head
    .subarray(0, 4096)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/^[\s\x1e]+/, '');
  return text === '' ? undefined : text[0];
}

function refuseBinary(name: string, head: Buffer): void {
  const other = OTHERS.find(({ magic, at = 0 }) => magic.every((byte, i) => head[at + i] === byte));
  if (other) {
    const [by, makes] = other.prepare(name);
    throw new InputError(`${name} is ${other.what}.`, by, { prepare: { by, name, makes } });
  }
  const table = TABLES.find(([start]) => head.subarray(0, start.length).equals(Buffer.from(start)));
  // ORC is also a word.
  if (table && (head.includes(0) || table[0] !== 'ORC'))
    throw new InputError(
      `${name} is ${table[1]}, which is not read.`,
      'export its data as Parquet, CSV or JSON, and import that',
    );
  if (JAPANESE.some((sequence) => head.includes(sequence)))
    throw new InputError(`${name} is ISO-2022-JP text.`, 'name its encoding with --encoding', {
      flags: { without: ['encoding'], more: ['--encoding', 'iso-2022-jp'] },
    });
  const sample = head.subarray(0, 8192);
  if (sample.length === 0) return;
  // The sample may end within a character.
  const text = isUtf8(sample) || isUtf8(sample.subarray(0, lastCharacterEnd(sample)));
  const controls = sample.filter((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte));
  const isOther = !text && new Set(controls).size >= MIN_CONTROLS;
  const zeros = [0, 1].map((odd) => sample.filter((byte, i) => byte === 0 && i % 2 === odd).length);
  const wide = zeros.findIndex((count) => count * 2 > sample.length * UTF_16_SHARE);
  if (wide >= 0 && zeros[1 - wide] === 0)
    throw new InputError(`${name} is UTF-16 without its mark.`, 'name its encoding with --encoding', {
      flags: { without: ['encoding'], more: ['--encoding', wide === 1 ? 'utf-16le' : 'utf-16be'] },
    });
  if (controls.length > sample.length * (isOther ? NOT_UTF8_BINARY_SHARE : BINARY_SHARE))
    throw new InputError(`${name} is binary data, not text.`, `file ${shellPath(name)}`);
  if (text) return;
  const high = sample.reduce((sum, byte) => sum + (byte >= 0x80 ? 1 : 0), 0);
  if (high > sample.length * BINARY_SHARE)
    throw new NotUtf8(
      `${name} is not UTF-8 text.`,
      'name its encoding with --encoding',
      notUtf8Lines(sample),
    );
}

function lastCharacterEnd(sample: Buffer): number {
  let end = sample.length;
  while (end > 0 && end > sample.length - 4 && (sample[end - 1]! & 0xc0) === 0x80) end--;
  return end > 0 && sample[end - 1]! >= 0xc0 ? end - 1 : end;
}
