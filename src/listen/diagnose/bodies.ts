/** The ways in which software on the path is known to turn a body into other bytes that mean the same. */
import { gunzipSync } from 'node:zlib';
import { serialisations } from './json.ts';
import type { Applied } from './mistakes.ts';

export interface BodyVariant {
  readonly bytes: Uint8Array;
  readonly mistakes: readonly Applied[];
}

/** What beside the body other signature schemes put under the signature. */
export interface SignedBeside {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
}

const MAX_UNPACKED = 1024 * 1024;

/**
 * The bytes that may have been signed in place of `raw`, likeliest first. The first is `raw` itself.
 * @param thorough false keeps to the few likeliest: what a large body allows in good time
 */
export function* bodyVariants(raw: Buffer, beside: SignedBeside, thorough = true): Generator<BodyVariant> {
  yield { bytes: raw, mistakes: [] };
  yield* newlines(raw);
  const text = raw.toString('utf8');
  for (const { json, mistake } of serialisations(text, thorough)) {
    const bytes = Buffer.from(json);
    yield { bytes, mistakes: [mistake] };
    yield { bytes: Buffer.from(`${json}\n`), mistakes: [mistake, { name: 'trailing-newline' }] };
  }
  yield { bytes: Buffer.alloc(0), mistakes: [{ name: 'empty-body' }] };
  yield { bytes: Buffer.from('[object Object]'), mistakes: [{ name: 'stringified-object' }] };
  yield* timestamped(raw, beside);
  if (thorough) yield* transcoded(raw, text);
}

function* newlines(raw: Buffer): Generator<BodyVariant> {
  const mistakes: Applied[] = [{ name: 'trailing-newline' }];
  yield { bytes: Buffer.concat([raw, Buffer.from('\n')]), mistakes };
  yield { bytes: Buffer.concat([raw, Buffer.from('\r\n')]), mistakes };
  let end = raw.length;
  const isNewline = () => raw[end - 1] === 0x0a || raw[end - 1] === 0x0d;
  for (let stripped = 0; end > 0 && isNewline() && stripped < 2; stripped++) {
    yield { bytes: raw.subarray(0, --end), mistakes };
  }
  while (end > 0 && isNewline()) end--;
  if (end < raw.length) yield { bytes: raw.subarray(0, end), mistakes };
}

function* timestamped(raw: Buffer, { id, timestamp }: SignedBeside): Generator<BodyVariant> {
  if (timestamp === undefined) return;
  const mistakes: Applied[] = [{ name: 'signed-with-timestamp' }];
  const prefixes = [`${timestamp}.`, ...(id === undefined ? [] : [`${id}.${timestamp}.`])];
  for (const prefix of prefixes) yield { bytes: Buffer.concat([Buffer.from(prefix), raw]), mistakes };
}

function* transcoded(raw: Buffer, text: string): Generator<BodyVariant> {
  const as = (mistake: Applied, bytes: Uint8Array | string): BodyVariant => ({
    bytes: Buffer.from(bytes as string),
    mistakes: [mistake],
  });
  yield as({ name: 'decoded-as-text' }, text);
  yield as({ name: 'decoded-as-latin1' }, raw.toString('latin1'));
  if (isAsciiOrLatin1(text)) yield as({ name: 'decoded-as-latin1' }, Buffer.from(text, 'latin1'));
  yield as({ name: 'byte-order-mark' }, text.startsWith('\ufeff') ? text.slice(1) : `\ufeff${text}`);
  yield as({ name: 'line-endings' }, raw.toString('latin1').replaceAll('\r\n', '\n'));
  yield as({ name: 'line-endings' }, Buffer.from(raw.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1'));
  yield as({ name: 'surrounding-space' }, text.trim());
  yield as({ name: 'double-encoded' }, JSON.stringify(text));
  yield as({ name: 'python-bytes-text' }, `b'${text}'`);
  yield as({ name: 'base64-body' }, raw.toString('base64'));
  if (/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text))
    yield as({ name: 'base64-body' }, Buffer.from(text, 'base64'));
  const unpacked = gunzip(raw);
  if (unpacked) yield as({ name: 'compressed-body' }, unpacked);
}

function isAsciiOrLatin1(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}

function gunzip(raw: Buffer): Buffer | undefined {
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return undefined;
  try {
    return gunzipSync(raw, { maxOutputLength: MAX_UNPACKED });
  } catch {
    return undefined; // not a gzip file after all, or one that unpacks to too much
  }
}
