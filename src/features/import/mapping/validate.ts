import type * as z from 'zod/mini';
import { Event, User } from '../../../contract/schemas.ts';
import { validate } from '../../../contract/validation.ts';
import { type Member, membersOf } from '../../../kit/json/json-members.ts';
import { scanEvent, scanned } from '../formats/json/scan-event.ts';
import type { MadeRecord } from '../formats/record-mappers.ts';
import { FREE_PART, type RecordKind } from '../record/record-kind.ts';
import { combineErrors, type ValidationError } from '../record/validation-errors.ts';
import { CONSENT_WORDS, isLostConsent } from './consent-names.ts';
import type { Mapping } from './mapping.ts';
import { toUtc, whyRefused } from './time/timestamps.ts';

const SCHEMAS: Record<RecordKind, z.ZodMiniType> = { events: Event, users: User };
const UNKNOWN = 'is not a known field; use --extra-fields properties or drop';
const UNKNOWN_NESTED = 'is not a known field; use --extra-fields properties with --nested flatten, or drop';
const UNKNOWN_NULL = 'is not a known field; use --extra-fields properties with --nulls drop, or drop';
const LOST_CONSENT = `is not a known field; ${CONSENT_WORDS}`;
const UNKNOWN_TAKEN = 'is not a known field, and there is a property of that name; use --extra-fields drop';

/**
 * Validates a record: JSON, then the schema of the contract, then what JSON.parse hides from the schema: duplicate names
 * (RFC 8259 section 4 leaves open which one counts), `__proto__`, and half of a surrogate pair, which UTF-8 cannot encode
 * (RFC 7493 section 2.1). Without `validate`, the record must only be a JSON object, so that the body stays valid.
 * `known` are errors found before; their fields are not validated again. Returns the combined errors, or null.
 */
export function checkRecord(
  { kind, validate: full }: Pick<Mapping, 'kind' | 'validate'>,
  text: string,
  known: readonly ValidationError[] = [],
): ValidationError | null {
  const parsed = parseObject(text);
  if ('field' in parsed) return parsed;
  if (!full) return combineErrors(known);
  const result = validate(SCHEMAS[kind], parsed.value);
  if (result.ok && known.length === 0) return checkText(text, parsed.value, FREE_PART[kind]);
  const found = result.ok
    ? []
    : result.issues.flatMap((issue, i) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => unknown([...issue.path, key].join('.'), key, parsed.value, kind))
          : [fieldError(kind, result.details[i]!, parsed.value)],
      );
  const named = new Set(known.map(({ field }) => field));
  return combineErrors([...known, ...found.filter(({ field }) => !named.has(field))]);
}

let scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Writes and validates a record that was made from flags, as `checkRecord` does: by the scan, and by the schema if it
 * cannot decide.
 */
export function madeRecord(
  mapping: Pick<Mapping, 'kind' | 'validate'>,
  text: string,
  known: readonly ValidationError[],
): MadeRecord | ValidationError {
  if (known.length > 0) return checkRecord(mapping, text, known)!;
  if (text.length * 3 + 1 > scratch.length) scratch = Buffer.allocUnsafeSlow(text.length * 3 + 1024);
  const length = scratch.write(text, 'utf8');
  // The line feed stops the scan.
  scratch[length] = 0x0a;
  // Half of a surrogate pair becomes U+FFFD when it is written, which the scan would accept.
  if (
    mapping.validate &&
    mapping.kind === 'events' &&
    scanEvent(scratch, 0) === length &&
    text.isWellFormed()
  )
    return { bytes: scratch, length, time: scanned.timestamp };
  return checkRecord(mapping, text) ?? { bytes: scratch, length, time: -1 };
}

/** The error for an unknown field, with the flag that accepts it. Not every value can become a property. */
function unknown(
  field: string,
  key: string,
  record: Record<string, unknown>,
  kind: RecordKind,
): ValidationError {
  const value = record[key];
  const free = record[FREE_PART[kind]];
  const taken = typeof free === 'object' && free !== null && Object.hasOwn(free, key);
  if (isLostConsent(kind, key)) return { field, reason: LOST_CONSENT };
  if (taken) return { field, reason: UNKNOWN_TAKEN, fixableBy: ['drop-fields'] };
  if (value === null) return { field, reason: UNKNOWN_NULL, fixableBy: ['extra-fields', 'nulls'] };
  if (typeof value === 'object')
    return { field, reason: UNKNOWN_NESTED, fixableBy: ['extra-fields', 'nested'] };
  return { field, reason: UNKNOWN, fixableBy: ['extra-fields'] };
}

/** Parses a JSON object, or returns the validation error. */
export function parseObject(text: string): ValidationError | { value: Record<string, unknown> } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { field: 'record', reason: `is not valid JSON: ${describeJsonError(error, text)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { field: 'record', reason: 'must be a JSON object' };
  return { value: value as Record<string, unknown> };
}

/** Describes a syntax error by its position. V8 quotes the input in its message, but the rejects file contains it. */
function describeJsonError(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const place = /at position (\d+)/.exec(message)?.[1];
  if (/end of JSON|Unterminated/.test(message) || Number(place) >= text.length) return 'it is truncated';
  if (place === undefined) return 'it does not start like JSON';
  return `unexpected ${JSON.stringify(text[Number(place)] ?? '')} at character ${Number(place) + 1}`;
}

function fieldError(kind: RecordKind, detail: Detail, value: Record<string, unknown>): ValidationError {
  const { field, message } = detail;
  if (field === 'timestamp' && kind === 'events') {
    const given = value.timestamp;
    if (given !== undefined && given !== null && toUtc(String(given), 'UTC').ok)
      return {
        field,
        reason: `${message}; use --convert-timestamps to convert it to UTC`,
        fixableBy: ['convert-timestamps'],
      };
    const why = typeof given === 'string' ? whyRefused(given) : undefined;
    if (why) return { field, reason: `${message}; this one ${why}` };
  }
  return unfitProperty(kind, detail, value) ?? { field, reason: message };
}

/** The error for a property that is null or nested, with the flag that accepts it. */
function unfitProperty(
  kind: RecordKind,
  { field, message }: Detail,
  record: Record<string, unknown>,
): ValidationError | undefined {
  const free = record[FREE_PART[kind]];
  const start = `${FREE_PART[kind]}.`;
  if (!field.startsWith(start) || typeof free !== 'object' || free === null) return undefined;
  const value = (free as Record<string, unknown>)[field.slice(start.length)];
  if (value === null)
    return { field, reason: `${message}; --nulls drop leaves nulls out`, fixableBy: ['nulls'] };
  if (typeof value !== 'object') return undefined;
  return { field, reason: `${message}; --nested flatten makes properties of it`, fixableBy: ['nested'] };
}

interface Detail {
  readonly field: string;
  readonly message: string;
}

function checkText(text: string, value: Record<string, unknown>, freePart: string): ValidationError | null {
  const top = membersOf(text);
  const free = top.find((member) => member.name === freePart);
  const inner = free ? membersOf(text, free.start) : [];
  return (
    repeated(top, '') ??
    repeated(inner, `${freePart}.`) ??
    loneSurrogate(value, '') ??
    loneSurrogate((value[freePart] ?? {}) as Record<string, unknown>, `${freePart}.`)
  );
}

function repeated(members: Member[], prefix: string): ValidationError | null {
  const names = new Set<string>();
  for (const { name } of members) {
    const field = `${prefix}${name}`;
    if (name === '__proto__') return { field, reason: 'is a name that some receivers drop' };
    if (names.has(name)) return { field, reason: 'is given twice' };
    names.add(name);
  }
  return null;
}

function loneSurrogate(values: Record<string, unknown>, prefix: string): ValidationError | null {
  for (const [name, value] of Object.entries(values)) {
    if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
      return {
        field: `${prefix}${name}`,
        reason: 'contains half of a surrogate pair, which is not a character',
      };
  }
  return null;
}
