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

/** Fewer attempts than this say nothing of a receiver. */
const ENOUGH = 10;
/** Of the attempts, those that failed: from more than this share on, somebody should know. */
const OFTEN = 0.1;
const MOSTLY = 0.5;

/** How the attempts at a receiver went over a range of time. */
export interface Went {
  readonly attempts: number;
  readonly delivered: number;
  /** When the last one that failed was, at the latest, and how many succeeded since. */
  readonly lastFailure?: { readonly before: string; readonly delivered: number } | undefined;
}

/** How often attempts failed, by the one rule of all views; undefined where few did, or too few were made. */
export function failedHow({ attempts, delivered }: Went): 'often' | 'mostly' | undefined {
  const share = 1 - delivered / attempts;
  return attempts < ENOUGH || share <= OFTEN ? undefined : share < MOSTLY ? 'often' : 'mostly';
}

/** How often attempts fail, as long as that is not over. */
export const failsHow = (went: Went): 'often' | 'mostly' | undefined =>
  isOver(went) ? undefined : failedHow(went);

/** True where enough attempts in a row succeeded since the last one that failed. */
export const isOver = ({ lastFailure }: Went): boolean => (lastFailure?.delivered ?? 0) >= ENOUGH;
