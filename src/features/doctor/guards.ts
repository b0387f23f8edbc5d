import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { objectOf } from '../../kit/object-of.ts';
import { type Check, warn } from './check.ts';

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : []);

/**
 * Warns of what guards of goals took out of choice (GET /v1/model). No row where that is nothing, or where the service does not
 * answer this read. `toModel` is the command that shows it.
 */
export async function checkGuards(client: Client, toModel: string, signal: AbortSignal): Promise<Check[]> {
  let body: unknown;
  try {
    ({ body } = await client.call('getModel', { query: {}, signal }));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
  const taken = listOf(objectOf(body).goals).flatMap(({ goalId, guard }) =>
    listOf(objectOf(guard).takenOut).map(({ contentId, since }) => ({ goalId, contentId, since })),
  );
  const [first] = taken;
  if (first === undefined) return [];
  const what = typeof first.contentId === 'string' ? `the content ${first.contentId}` : 'the learned choice';
  const more = taken.length > 1 ? `, and ${taken.length - 1} more` : '';
  const seen = `the guard of goal ${first.goalId} took ${what} out of choice at ${first.since}${more}`;
  return [warn('guards', sanitizeLine(seen), `see what it found, and how to lift it: ${toModel}`)];
}
