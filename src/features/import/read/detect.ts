import { isUtf8 } from 'node:buffer';
import { shellPath } from '../../../kit/shell.ts';
import { InputError } from '../transform/input-error.ts';

export type Format = 'ndjson' | 'csv';

const BY_NAME: [RegExp, Format][] = [
  [/\.(ndjson|jsonl|ldjson|json)$/i, 'ndjson'],
  [/\.(csv|tsv|psv)$/i, 'csv'],
];

/** File types that are imported by mistake, by their first bytes, with the command that converts each. */
const OTHERS: { magic: number[]; what: string; step: (name: string) => string }[] = [
  {
    magic: [0x42, 0x5a, 0x68],
    what: 'compressed with bzip2',
    step: (n) => `bzip2 -dc ${shellPath(n)} | svc events import -`,
  },
  {
    magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    what: 'compressed with xz',
    step: (n) => `xz -dc ${shellPath(n)} | svc events import -`,
  },
  {
    magic: [0x50, 0x4b, 3, 4],
    what: 'a zip archive (or a spreadsheet)',
    step: (n) => `unzip -p ${shellPath(n)} | svc events import -`,
  },
  {
    magic: [0xff, 0xfe],
    what: 'UTF-16 text',
    step: (n) => `iconv -f UTF-16 -t UTF-8 ${shellPath(n)} | svc events import -`,
  },
  {
    magic: [0xfe, 0xff],
    what: 'UTF-16 text',
    step: (n) => `iconv -f UTF-16 -t UTF-8 ${shellPath(n)} | svc events import -`,
  },
  {
    magic: [0x50, 0x41, 0x52, 0x31],
    what: 'a Parquet file',
    step: () => 'Export it as CSV or NDJSON first.',
  },
];

/** Above this share of non-text bytes, a sample is binary. A single invalid record stays below. */
const BINARY_SHARE = 0.1;

/**
 * Detects NDJSON or CSV by the extension of the name (before `.gz` and `.zst`), else by the first character.
 * `head` is the beginning of the decompressed input. Throws an InputError for binary data and a JSON array.
 */
export function detectFormat(name: string, head: Buffer): Format {
  refuseBinary(name, head);
  const first = firstCharacter(head);
  const bare = name.replace(/\.(gz|gzip|zst|zstd)$/i, '');
  const named = BY_NAME.find(([pattern]) => pattern.test(bare))?.[1];
  if (named !== 'csv' && first === '[' && /^\[\s*(\{|$|\])/.test(head.toString('latin1').trimStart()))
    throw new InputError(
      `${name} contains a JSON array, not one record per line.`,
      `jq -c '.[]' ${shellPath(name)} | svc events import -`,
    );
  if (named) return named;
  return first === undefined || first === '{' ? 'ndjson' : 'csv';
}

function firstCharacter(head: Buffer): string | undefined {
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return text === '' ? undefined : text[0];
}

function refuseBinary(name: string, head: Buffer): void {
  const other = OTHERS.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
  if (other) throw new InputError(`${name} is ${other.what}, not NDJSON or CSV.`, other.step(name));
  const sample = head.subarray(0, 8192);
  if (sample.length === 0) return;
  let nonText = 0;
  // The sample may end within a character.
  const text = isUtf8(sample) || isUtf8(sample.subarray(0, lastCharacterEnd(sample)));
  for (const byte of sample) {
    if (byte < 0x20 ? byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 : byte === 0x7f) nonText++;
    else if (byte >= 0x80 && !text) nonText++;
  }
  if (nonText > sample.length * BINARY_SHARE)
    throw new InputError(
      `${name} is binary data, not NDJSON or CSV.`,
      'Import text: one JSON object per line, or CSV with a header; .gz and .zst files are decompressed.',
    );
}

function lastCharacterEnd(sample: Buffer): number {
  let end = sample.length;
  while (end > 0 && end > sample.length - 4 && (sample[end - 1]! & 0xc0) === 0x80) end--;
  return end > 0 && sample[end - 1]! >= 0xc0 ? end - 1 : end;
}
