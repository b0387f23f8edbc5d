/** Fields of the catalog file that several of its parts have. */
import * as z from 'zod/mini';

export const name = () => z.string().check(z.minLength(1), z.maxLength(256));
/** An object of at most `limit` members. */
export function limited<T extends z.ZodMiniType<object, object>>(schema: T, limit: number, of: string): T {
  const checked = schema.check(
    z.refine((value) => Object.keys(value).length <= limit, { error: `has more than ${limit} ${of}` }),
  );
  z.globalRegistry.add(checked, { maxProperties: limit });
  return checked;
}
/** Locales for which a content or a template has texts, at most. */
export const MAX_LOCALES = 256;
/** Up to thirty days. */
export const minutes = () => z.number().check(z.minimum(1), z.maximum(43_200));
/** A date-time with any offset. */
export const instant = () =>
  z.iso
    .datetime({ offset: true, error: 'must be a date-time with a zone, such as 2026-01-31T12:00:00Z' })
    .check(z.maxLength(64));
