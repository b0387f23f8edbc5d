/** Adds and removes the wrappings of a body that do not depend on its content: encodings, line endings, white space. */
import { isAscii, isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { AppliedMistake } from './mistakes.ts';

export interface BodyVariant {
  readonly bytes: Buffer;
  readonly mistakes: readonly AppliedMistake[];
}

/** Values that other signature schemes sign together with the body. */
export interface SignedMetadata {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
}

/** Returns the changed bytes; empty where the change does not apply. */
type Change = (bytes: Buffer) => Array<Buffer | string>;
type Step = readonly [mistake: AppliedMistake['name'], change: Change];

const MAX_UNPACKED_BYTES = 1024 * 1024;
const BOM = '\ufeff';

const textOf = (bytes: Buffer) => bytes.toString('utf8');

/** Wrappings that are added, in this order, each at most once. */
const ADDITIONS: readonly Step[] = [
  ['line-endings', otherLineEndings],
  ['trailing-newline', (bytes) => ['\n', '\r\n'].map((end) => Buffer.concat([bytes, Buffer.from(end)]))],
  ['byte-order-mark', (bytes) => [Buffer.concat([Buffer.from(BOM), bytes])]],
];
/** Encodings, of which at most one is applied, last, and combined with at most one other mistake. */
const ENCODINGS: readonly Step[] = [
  ['decoded-as-latin1', asLatin1],
  ['double-encoded', (bytes) => [JSON.stringify(textOf(bytes))]],
  ['python-bytes-text', (bytes) => [`b'${textOf(bytes)}'`]],
  ['base64-body', (bytes) => [bytes.toString('base64')]],
  ['encoded-as-utf16', (bytes) => [Buffer.from(textOf(bytes), 'utf16le')]],
];

/** Wrappings that are removed, in this order. */
const REMOVALS: readonly Step[] = [
  ['compressed-body', gunzip],
  ['base64-body', unbase64],
  ['encoded-as-utf16', unUtf16],
  ['decoded-as-latin1', asLatin1],
  ['decoded-as-text', (bytes) => (isUtf8(bytes) ? [] : [textOf(bytes)])],
  ['python-bytes-text', (bytes) => matched(/^b'(.*)'\s*$/s, bytes)],
  ['double-encoded', unquoted],
  ['byte-order-mark', (bytes) => (textOf(bytes).startsWith(BOM) ? [textOf(bytes).slice(1)] : [])],
  ['trailing-newline', withoutNewlines],
  ['surrounding-space', trimmed],
];
const MAX_REMOVED = 2;

/** Returns the bytes with up to MAX_REMOVED wrappings removed, ordered by number. */
export function unwrapped(raw: Buffer): BodyVariant[] {
  let found: BodyVariant[] = [{ bytes: raw, mistakes: [] }];
  for (const step of REMOVALS) {
    const more = found
      .filter(({ mistakes }) => mistakes.length < MAX_REMOVED)
      .flatMap((one) => changed(one, step));
    found = [...found, ...more];
  }
  return found.toSorted((a, b) => a.mistakes.length - b.mistakes.length);
}

/** Yields the bytes with exactly `count` wrappings added. */
export function* wrapped(
  variant: BodyVariant,
  count: number,
  metadata: SignedMetadata,
  from = 0,
): Generator<BodyVariant> {
  if (count === 0) {
    yield variant;
    return;
  }
  for (let at = from; at < ADDITIONS.length; at++) {
    for (const one of changed(variant, ADDITIONS[at] as Step))
      yield* wrapped(one, count - 1, metadata, at + 1);
  }
  if (count > 1 || variant.mistakes.length > 1) return;
  for (const step of ENCODINGS) yield* changed(variant, step);
  yield* changed(variant, ['signed-with-timestamp', (bytes) => timestamped(bytes, metadata)]);
}

function changed({ bytes, mistakes }: BodyVariant, [name, change]: Step): BodyVariant[] {
  return change(bytes)
    .map((after) => (typeof after === 'string' ? Buffer.from(after) : after))
    .filter((after) => !after.equals(bytes))
    .map((after) => ({ bytes: after, mistakes: [...mistakes, { name }] }));
}

function otherLineEndings(bytes: Buffer): Buffer[] {
  if (!bytes.includes('\n')) return [];
  const text = bytes.toString('latin1');
  return [text.replaceAll('\r\n', '\n'), text.replace(/\r?\n/g, '\r\n')].map((one) =>
    Buffer.from(one, 'latin1'),
  );
}

function withoutNewlines(bytes: Buffer): Buffer[] {
  const isNewline = (at: number) => bytes[at] === 0x0a || bytes[at] === 0x0d;
  let end = bytes.length;
  while (end > 0 && isNewline(end - 1)) end--;
  const cuts = new Set([bytes.length - 1, bytes.length - 2, end].filter((cut) => cut >= end));
  return [...cuts].map((cut) => bytes.subarray(0, cut));
}

function trimmed(bytes: Buffer): string[] {
  const text = textOf(bytes);
  // Trailing newlines alone are a mistake of their own.
  return /^[ \t\r\n]/.test(text) || /[ \t]/.test(text.slice(text.trimEnd().length)) ? [text.trim()] : [];
}

/** Decodes as Latin-1 and encodes as UTF-8, or the reverse. */
function asLatin1(bytes: Buffer): Buffer[] {
  if (isAscii(bytes)) return [];
  const made = [Buffer.from(bytes.toString('latin1'))];
  const text = textOf(bytes);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return made;
  return [...made, Buffer.from(text, 'latin1')];
}

function unUtf16(bytes: Buffer): string[] {
  return bytes.length % 2 === 0 && bytes.includes(0) ? [bytes.toString('utf16le')] : [];
}

function unbase64(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1').trimEnd();
  return /^[A-Za-z0-9+/\s]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : [];
}

function unquoted(bytes: Buffer): string[] {
  const text = textOf(bytes);
  if (!/^\s*"/.test(text)) return [];
  try {
    return [JSON.parse(text) as string];
  } catch {
    return []; // not a JSON string
  }
}

function gunzip(bytes: Buffer): Buffer[] {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return [];
  try {
    return [gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })];
  } catch {
    return []; // not gzip, or larger than MAX_UNPACKED_BYTES
  }
}

function timestamped(bytes: Buffer, { id, timestamp }: SignedMetadata): Buffer[] {
  if (timestamp === undefined) return [];
  const prefixes = [`${timestamp}.`, ...(id === undefined ? [] : [`${id}.${timestamp}.`])];
  return prefixes.map((prefix) => Buffer.concat([Buffer.from(prefix), bytes]));
}

function matched(pattern: RegExp, bytes: Buffer): string[] {
  const inner = pattern.exec(textOf(bytes))?.[1];
  return inner === undefined ? [] : [inner];
}
