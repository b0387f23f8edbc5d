/** Parses signature headers, including known wrong formats. */
import type { AppliedMistake } from './mistakes.ts';

/** One interpretation of a header: the digest, and the mistakes in its format. */
export interface Reading {
  readonly digest: Buffer;
  readonly algorithm: 'sha256' | 'sha1' | 'sha384' | 'sha512';
  readonly mistakes: readonly AppliedMistake[];
  /** Unix seconds found in a `t=…,v1=…` header, which other services sign together with the body. */
  readonly timestamp?: string;
}

const ALGORITHM_OF_BYTES = { 20: 'sha1', 32: 'sha256', 48: 'sha384', 64: 'sha512' } as const;
const PREFIX =
  /^(sha-?256|hmac-?sha-?256|hmac|sha-?1|sha-?512|v\d|s|sig|signature|hex|0x)([=:,]\s*|(?<=0x))/i;
const MAX_ELEMENTS = 8;

/** Returns every plausible interpretation of a signature header; empty where it has no digest. Never throws. */
export function readSignature(header: string): Reading[] {
  const elements = header.split(/[,\s]+/).filter((part) => part !== '');
  const timestamp = elements.map((part) => /^t=(\d{1,15})$/.exec(part)?.[1]).find((t) => t !== undefined);
  const candidates = [header.trim(), ...elements.slice(0, MAX_ELEMENTS)];
  const readings: Reading[] = [];
  for (const text of new Set(candidates)) {
    const several = text !== header.trim() && timestamp === undefined && !/^v\d,/.test(header.trim());
    for (const reading of readOne(text, several ? [{ name: 'repeated-header' }] : [])) {
      if (timestamp === undefined) {
        readings.push(reading);
        continue;
      }
      // In a `t=…,v1=…` header the prefix belongs to the scheme, which is the mistake itself.
      const mistakes = reading.mistakes.filter(({ name }) => name !== 'other-prefix');
      readings.push({ ...reading, mistakes, timestamp });
    }
  }
  return readings;
}

function readOne(text: string, before: readonly AppliedMistake[]): Reading[] {
  const mistakes = [...before];
  let value = text;
  const unquoted = /^(["'])(.*)\1$/s.exec(value)?.[2];
  if (unquoted !== undefined) {
    mistakes.push({ name: 'quoted-signature' });
    value = unquoted;
  }
  const prefix = PREFIX.exec(value)?.[0];
  if (prefix !== undefined) {
    mistakes.push(
      /^sha-?256=$/i.test(prefix) ? { name: 'sha256-prefix' } : { name: 'other-prefix', detail: prefix },
    );
    value = value.slice(prefix.length);
  }
  return digestsOf(value, mistakes);
}

function digestsOf(value: string, mistakes: readonly AppliedMistake[]): Reading[] {
  const readings: Reading[] = [];
  const add = (digest: Buffer, more: readonly AppliedMistake[]) => {
    const algorithm = ALGORITHM_OF_BYTES[digest.length as keyof typeof ALGORITHM_OF_BYTES];
    if (algorithm === undefined) return;
    const wrong: AppliedMistake[] =
      algorithm === 'sha256' ? [] : [{ name: 'other-algorithm', detail: algorithm }];
    readings.push({ digest, algorithm, mistakes: [...mistakes, ...more, ...wrong] });
  };
  const hex = value.replace(/[:\s]/g, '');
  if (/^([0-9a-f]{2})+$/i.test(hex)) {
    const upper: AppliedMistake[] = /[A-F]/.test(hex) ? [{ name: 'upper-case-hex' }] : [];
    const separated: AppliedMistake[] = hex === value ? [] : [{ name: 'separated-hex' }];
    add(Buffer.from(hex, 'hex'), [...upper, ...separated]);
  }
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) {
    const decoded = Buffer.from(value, 'base64'); // Node accepts both alphabets
    add(decoded, [{ name: 'base64-signature' }]);
    if (/^[0-9a-f]{64}$/i.test(decoded.toString('latin1'))) {
      add(Buffer.from(decoded.toString('latin1'), 'hex'), [{ name: 'base64-of-hex' }]);
    }
  }
  return readings;
}
