import type { AnswerOf } from '../../contract/endpoints.ts';

/**
 * How long every attempt must have failed: before, the retries after 5 s, 5 and 30 minutes may be all that is needed. Where
 * many fail, the overview says so at once.
 */
const FAILING_MS = 3_600_000;

/**
 * How the receiver of a subscription is, the same in all views. `failing` needs a person: every attempt of the last hour or
 * longer has failed. So does `given up`: the latest attempts failed, and none is to come. `retrying`: the latest attempt
 * failed, and the service makes it again by itself.
 */
export type Receiving = 'disabled' | 'failing' | 'given up' | 'retrying' | 'answers';

/** True where nothing arrives before somebody does something. */
export const needsPerson = (state: Receiving): boolean => state === 'failing' || state === 'given up';

export function receivingOf(
  { status, failingSince, pending }: Pick<AnswerOf<'getWebhook'>, 'status' | 'failingSince' | 'pending'>,
  now = Date.now(),
): Receiving {
  if (status !== 'active') return 'disabled';
  if (failingSince === undefined) return 'answers';
  if (pending === 0) return 'given up';
  return now - Date.parse(failingSince) >= FAILING_MS ? 'failing' : 'retrying';
}
