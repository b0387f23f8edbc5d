/** Building blocks of the schemas. Every part of a request is bounded. */
import * as z from 'zod/mini';
import { isLocale, LOCALE_TAG } from '../kit/locale.ts';
import { Lru } from '../kit/lru.ts';
import { MAX_BODY_BYTES, MAX_FIELDS, MAX_NAME, MAX_TAG } from './limits.ts';
import { DATE_TIME, isDateTime, isUtcDateTime, UTC_DATE_TIME } from './timestamp.ts';

/** What a JSON schema says beside what zod derives from the checks. */
interface Annotation {
  /** The name under `components.schemas`: the schema is written once and referred to. */
  id?: string;
  description?: string;
  format?: string;
  pattern?: string;
  /** Replaces the type of the value: a number in a query is text on the wire. */
  type?: 'integer';
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxProperties?: number;
  propertyNames?: object;
  examples?: readonly unknown[];
  /** True if the field is not in the specification. */
  'x-beyond-specification'?: boolean;
  /** Maximum length of the value as JSON, in UTF-16 units, which JSON Schema cannot express. */
  'x-max-json-length'?: number;
}

/** Metadata of schemas for the OpenAPI generator. */
export const annotations = z.registry<Annotation>();

function annotate<T extends z.ZodMiniType>(schema: T, more: Annotation): T {
  annotations.add(schema, { ...annotations.get(schema), ...more });
  return schema;
}

/** Describes a field: its `description` in the API description. */
export function about<T extends z.ZodMiniType>(description: string, schema: T, more: Annotation = {}): T {
  return annotate(schema, { description, ...more });
}

/** Names a schema in the API description, where it is written once. */
export function named<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  return annotate(schema, { id, description });
}

/** Marks a field that is not in the specification: `x-beyond-specification` in the API description. */
export function beyond<T extends z.ZodMiniType>(schema: T): T {
  return annotate(schema, { 'x-beyond-specification': true });
}

/** PostgreSQL cannot store U+0000 in text, so no string of a request may contain it. */
const NO_NUL = '^[^\\x00]*$';
const noNul = z.refine<string>((text) => !text.includes('\u0000'), {
  error: 'must not contain the character U+0000',
});

/** Lengths count code points, as in JSON Schema, and not UTF-16 units. */
const hasAtMost = (text: string, most: number) =>
  text.length <= most || (text.length <= 2 * most && [...text].length <= most);
const hasAtLeast = (text: string, least: number) => text.length >= 2 * least || [...text].length >= least;

/** Text of `least` to `most` characters. */
export function bounded(least: number, most: number) {
  const schema = z.string().check(
    z.refine((text) => hasAtMost(text, most), {
      error: `must have at most ${most} characters`,
      abort: true,
    }),
    z.refine((text) => hasAtLeast(text, least), {
      error: least === 1 ? 'must not be empty' : `must have at least ${least} characters`,
      abort: true,
    }),
    noNul,
  );
  return annotate(schema, { ...(least > 0 ? { minLength: least } : {}), maxLength: most, pattern: NO_NUL });
}

export const name = () => bounded(1, MAX_NAME);
export const utc = () =>
  annotate(
    z.string().check(
      z.maxLength(MAX_NAME),
      z.refine(isUtcDateTime, {
        error: 'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z',
      }),
    ),
    { format: 'date-time', pattern: UTC_DATE_TIME.source, examples: ['2026-01-31T12:00:00Z'] },
  );
/** A time in a query, with any offset. */
export const instant = () =>
  annotate(
    z.string().check(
      z.maxLength(MAX_NAME),
      z.refine(isDateTime, {
        error:
          'must be an ISO 8601 date-time of an existing date, with an offset, such as 2026-01-31T12:00:00Z',
      }),
    ),
    { format: 'date-time', pattern: DATE_TIME.source, examples: ['2026-01-31T12:00:00Z'] },
  );
/** The size of a page in a query, from 1 to `most`. */
export const pageSize = (most: number) =>
  annotate(
    z.string().check(
      z.refine((text) => /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most, {
        error: `must be a whole number from 1 to ${most}`,
      }),
    ),
    { type: 'integer', minimum: 1, maximum: most, examples: [Math.min(most, 100)] },
  );
/** A number that the service keeps within bounds in its answers; those of another service are not refused for it. */
export const within = (minimum: number, maximum: number) => annotate(z.number(), { minimum, maximum });
/** A time in an answer. */
export const time = (description: string) => about(description, z.string(), { format: 'date-time' });
export const locale = () =>
  annotate(
    z
      .string()
      .check(
        z.maxLength(MAX_TAG, { abort: true }),
        z.refine(isLocale, { error: 'must be a locale tag, such as en-GB' }),
      ),
    { pattern: LOCALE_TAG.source, examples: ['en-GB'] },
  );
/** An http or https URI (RFC 3986). */
const HTTP_URI =
  /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?(([A-Za-z0-9.~_-]|%[0-9A-Fa-f]{2})+|\[[0-9A-Fa-f:.]+\])(:[0-9]{0,5})?(\/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(#([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/;
/** An address for requests of the service. Which hosts are allowed is decided by the service. */
export const uri = () =>
  annotate(
    z
      .string()
      .check(
        z.minLength(1, { abort: true }),
        z.maxLength(2048, { abort: true }),
        z.regex(HTTP_URI, { error: 'must be an https URL, with special characters percent-encoded' }),
      ),
    { format: 'uri', examples: ['https://example.com/hooks'] },
  );
/** Text of a form, of at most `most` characters. `error` says which. */
export const pattern = (form: RegExp, most: number, error: string, examples: readonly string[]) => {
  const text = z.refine<string>((value) => hasAtMost(value, most) && form.test(value), { error });
  return annotate(z.string().check(text), { pattern: form.source, maxLength: most, examples });
};
/** Text that is limited only by the size of the body. */
export const text = () => annotate(z.string().check(z.maxLength(MAX_BODY_BYTES)), { pattern: NO_NUL });
export const scalar = () =>
  z.union([text(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' });

/** The names of an object with custom names. */
const PROPERTY_NAMES = {
  type: 'string',
  maxLength: MAX_NAME,
  pattern: NO_NUL,
  not: { const: '__proto__' },
} as const;

const fitsJson = (most: number) =>
  z.refine<object>((object) => most === MAX_BODY_BYTES || JSON.stringify(object).length <= most, {
    error: `must have at most ${most} characters as JSON`,
  });
const fewFields = z.refine<object>((object) => Object.keys(object).length <= MAX_FIELDS, {
  error: `must have at most ${MAX_FIELDS} fields`,
  abort: true,
});
const freelyNamed = (most: number): Annotation => ({
  maxProperties: MAX_FIELDS,
  propertyNames: PROPERTY_NAMES,
  ...(most === MAX_BODY_BYTES ? {} : { 'x-max-json-length': most }),
});

/** An object with custom names. `most` limits its length as JSON, in UTF-16 units. */
export function fields<T extends z.ZodMiniType>(value: T, most = MAX_BODY_BYTES) {
  return annotate(z.record(bounded(0, MAX_NAME), value).check(fewFields, fitsJson(most)), freelyNamed(most));
}

/** An object of known fields beside any others, all together at most `most` UTF-16 units as JSON. */
export function openFields<T extends Record<string, z.ZodMiniType>, R extends z.ZodMiniType>(
  known: T,
  others: R,
  most: number,
) {
  const shortNames = z.refine<object>(
    (object) => Object.keys(object).every((name) => hasAtMost(name, MAX_NAME)),
    { error: `must not have a name of more than ${MAX_NAME} characters` },
  );
  return annotate(
    z.catchall(z.object(known), others).check(fewFields, shortNames, fitsJson(most)),
    freelyNamed(most),
  );
}
export const requestId = () =>
  beyond(about('Identifier of the request; also in the header X-Service-Request-Id.', z.string()));

export const next = () =>
  beyond(about('The value of `after` for the next page; missing on the last page.', z.optional(z.string())));
export const after = () =>
  about(
    'The `next` of the previous page.',
    z.optional(
      z
        .string()
        .check(
          z.maxLength(MAX_NAME, { abort: true }),
          z.regex(/^\d{1,15}\.\w+$/, { error: 'must be the `next` of the previous page' }),
        ),
    ),
  );

/** Cache of valid zones: a check takes 40 µs, and a batch of 1,000 users has few different ones. */
const zones = new Lru<string, true>(2000);

export const timeZone = () =>
  annotate(
    z
      .string()
      .check(
        z.maxLength(MAX_TAG, { abort: true }),
        z.refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' }),
      ),
    { format: 'time-zone', examples: ['Europe/Berlin'] },
  );

function isTimeZone(text: string): boolean {
  // Names of zones are not case-sensitive.
  const zone = text.toLowerCase();
  if (zones.get(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    zones.set(zone, true);
    return true;
  } catch {
    return false;
  }
}
