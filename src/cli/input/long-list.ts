import { allOf } from '../../client/pages.ts';
import { objectOf } from '../../kit/object-of.ts';
import { orUnsupportedFeature } from '../errors/unsupported-feature.ts';
import type { Output } from '../terminal/output.ts';

type Page = Parameters<typeof allOf>[0];

/**
 * Fetches up to `limit` entries of a list that the specification does not have, and says on stderr if there are more.
 * `what` is the member of the answer that holds them; `name` is the plural of what they are, such as `deliveries`. Throws
 * not_offered.
 */
export async function longList(
  what: string,
  page: Page,
  { limit, out, name = what }: { limit: number; out: Output; name?: string },
): Promise<{ rows: Readonly<Record<string, unknown>>[]; rest: Readonly<Record<string, unknown>> }> {
  const entriesOf = (body: unknown) => {
    const list = objectOf(body)[what];
    return Array.isArray(list) ? list : [];
  };
  const { body, list, more } = await orUnsupportedFeature(`a list of ${name}`, allOf(page, entriesOf, limit));
  const than = list.length === 1 ? `more ${name} than this one` : `more than these ${list.length} ${name}`;
  if (more) out.notice(`there are ${than}: add --limit N`);
  const { [what]: _, ...rest } = body;
  return { rows: list.map(objectOf), rest };
}

/** Warns that entries from before a time are gone by age, where the answer of the service has such a time. */
export function warnOfRemoved(out: Output, what: string, before: unknown): void {
  if (typeof before === 'string') out.warn(`${what} from before ${before} were removed by the service`);
}
