import { objectOf } from '../kit/object-of.ts';
import type { Answer } from './client.ts';

/** Follows an answer that comes in pages, as far as the service says how to go on, up to `most` entries. */
export async function allOf(
  page: (after: string | undefined) => Promise<Answer>,
  listOf: (body: unknown) => readonly unknown[],
  most = Number.POSITIVE_INFINITY,
): Promise<{ body: Readonly<Record<string, unknown>>; list: unknown[] }> {
  const list: unknown[] = [];
  const seen = new Set<string>();
  let first: Readonly<Record<string, unknown>> | undefined;
  for (let after: string | undefined; ; ) {
    const { body } = await page(after);
    const found = listOf(body);
    list.push(...found.slice(0, most - list.length));
    const { next, ...rest } = objectOf(body);
    first ??= rest;
    // A service that leads in a circle is not followed.
    if (typeof next !== 'string' || seen.has(next) || found.length === 0 || list.length >= most)
      return { body: first, list };
    seen.add(next);
    after = next;
  }
}
