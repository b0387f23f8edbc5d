/** Building blocks of the schemas. Every part of a request is bounded. */
import * as z from 'zod/mini';
import { isLocale } from '../kit/locale.ts';
import { Lru } from '../kit/lru.ts';
import { MAX_BODY_BYTES, MAX_FIELDS, MAX_NAME, MAX_TAG } from './limits.ts';
import { isUtcDateTime } from './timestamp.ts';

/** Metadata of schemas for the OpenAPI generator. */
export const annotations = z.registry<{
  'x-beyond-specification'?: boolean;
  description?: string;
  maxProperties?: number;
  propertyNames?: { type: 'string'; maxLength: number };
}>();

/** Marks a field that is not in the specification: `x-beyond-specification` in the API description. */
export function beyond<T extends z.ZodMiniType>(schema: T, description?: string): T {
  annotations.add(schema, { 'x-beyond-specification': true, ...(description ? { description } : {}) });
  return schema;
}

// PostgreSQL cannot store U+0000 in text.
const noNul = z.refine<string>((text) => !text.includes('\u0000'), {
  error: 'must not contain the character U+0000',
});
export const name = () => z.string().check(z.minLength(1), z.maxLength(MAX_NAME), noNul);
export const utc = () =>
  z.string().check(
    z.maxLength(MAX_NAME),
    z.refine(isUtcDateTime, {
      error: 'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z',
    }),
  );
export const locale = () =>
  z
    .string()
    .check(
      z.maxLength(MAX_TAG, { abort: true }),
      z.refine(isLocale, { error: 'must be a locale tag, such as en-GB' }),
    );
/** Text that is limited only by the size of the body. */
export const text = () => z.string().check(z.maxLength(MAX_BODY_BYTES));
export const scalar = () =>
  z.union([text(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' });

/** An object with custom names. `maxLength` limits its length as JSON, in characters. */
export function fields<T extends z.ZodMiniType>(value: T, maxLength = MAX_BODY_BYTES) {
  const schema = z.record(z.string().check(z.maxLength(MAX_NAME)), value).check(
    z.refine((object) => Object.keys(object).length <= MAX_FIELDS, {
      error: `must have at most ${MAX_FIELDS} fields`,
      abort: true,
    }),
    z.refine((object) => maxLength === MAX_BODY_BYTES || JSON.stringify(object).length <= maxLength, {
      error: `must have at most ${maxLength} characters as JSON`,
    }),
  );
  annotations.add(schema, { maxProperties: MAX_FIELDS });
  return schema;
}

/** An object of known fields beside any others, all together at most `most` characters as JSON. */
export function openFields<T extends Record<string, z.ZodMiniType>, R extends z.ZodMiniType>(
  known: T,
  others: R,
  most: number,
) {
  const schema = z.catchall(z.object(known), others).check(
    z.refine((object) => Object.keys(object).length <= MAX_FIELDS, {
      error: `must hold at most ${MAX_FIELDS}`,
      abort: true,
    }),
    z.refine((object) => Object.keys(object).every((name) => name.length <= MAX_NAME), {
      error: `must not have a name of more than ${MAX_NAME} characters`,
    }),
    z.refine((object) => JSON.stringify(object).length <= most, {
      error: `must have at most ${most} characters in all`,
    }),
  );
  annotations.add(schema, {
    maxProperties: MAX_FIELDS,
    propertyNames: { type: 'string', maxLength: MAX_NAME },
  });
  return schema;
}
export const requestId = () => beyond(z.string());

const NEXT = 'The value of `after` for the next page; missing on the last page.';
export const next = () => z.optional(beyond(z.string(), NEXT));
export const after = () =>
  z.optional(
    z
      .string()
      .check(
        z.maxLength(MAX_NAME, { abort: true }),
        z.regex(/^\d{1,15}\.\w+$/, { error: 'must be the `next` of the previous page' }),
      ),
  );

/** Cache of valid zones: a check takes 40 µs, and a batch of 1,000 users has few different ones. */
const zones = new Lru<string, true>(2000);

export function isTimeZone(text: string): boolean {
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
