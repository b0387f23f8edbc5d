import { objectOf } from '../kit/object-of.ts';
import type { Answer } from './client.ts';

/**
 * Fetches all pages of a list, up to `limit` entries in total. Returns the other fields of the pages as well, each from the
 * first page that has it, and whether there are more entries.
 */
export async function allOf(
  page: (after: string | undefined) => Promise<Answer>,
  listOf: (body: unknown) => readonly unknown[],
  limit = Number.POSITIVE_INFINITY,
): Promise<{ body: Readonly<Record<string, unknown>>; list: unknown[]; more: boolean }> {
  const list: unknown[] = [];
  const seen = new Set<string>();
  let others: Readonly<Record<string, unknown>> = {};
  for (let after: string | undefined; ; ) {
    const { body } = await page(after);
    const found = listOf(body);
    const cut = found.length > limit - list.length;
    list.push(...found.slice(0, limit - list.length));
    const { next, ...rest } = objectOf(body);
    others = { ...rest, ...others };
    // Stop at a cursor that was returned before.
    const last = typeof next !== 'string' || seen.has(next) || found.length === 0;
    if (last || list.length >= limit) return { body: others, list, more: cut || !last };
    seen.add(next);
    after = next;
  }
}
