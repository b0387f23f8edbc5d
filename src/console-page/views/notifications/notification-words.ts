import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about } from '../../data/about.ts';
import type { Tone } from '../../parts/badge.tsx';
import type { Meanings } from '../../parts/term.tsx';

export type Notification = AnswerOf<'getNotification'>;

export const STATE_TONES: Readonly<Record<Notification['status'], Tone>> = {
  queued: 'plain',
  held: 'warn',
  dispatched: 'accent',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** What the states mean. */
export const TERMS: Meanings = [
  ['queued', 'It is sent as soon as its channel has room.'],
  ['held', 'It waits for a time: that of its trigger, the end of quiet hours, or room below a cap.'],
  ['dispatched', 'The provider of the channel took it, and has not said yet whether it arrived.'],
  ['delivered', 'The provider says that it arrived.'],
  [
    'written to the outbox',
    'So it ends in a test workspace, and where a channel has no provider: nobody got it. It counts as delivered, and as a contact.',
  ],
  ['failed', 'It is not sent any more; the reason stands beside it.'],
];

/** A state with its reason, of a history or of a timeline. */
interface Stated {
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

type StateOf = Pick<Notification, 'status' | 'sentBy'>;

export const OUTBOX = 'written to the outbox';

/** A state in words: what the outbox took was sent to nobody. */
export const stateWords = ({ status, sentBy }: StateOf): string =>
  sentBy !== 'outbox' ? status : status === 'delivered' ? OUTBOX : `${status} (outbox)`;

/** True in a test workspace, which sends nothing. */
export const inTest = (): boolean => about.value?.workspace.mode === 'test';

/** What those that are counted as delivered came to: in a test workspace, all were written to the outbox. */
export const deliveredWords = (): string => (inTest() ? OUTBOX : 'delivered');

/** A state in words, by its reason. */
export const historyWords = ({ status, reason }: Stated): string | undefined =>
  status === 'delivered' && reason?.startsWith(OUTBOX) ? OUTBOX : status;

/** In a test workspace, the outbox is where everything belongs; in a live one, something is missing. */
export const stateTone = ({ status, sentBy }: StateOf): Tone =>
  sentBy !== 'outbox' ? STATE_TONES[status] : inTest() ? 'plain' : 'warn';

const REASONS: Readonly<Record<string, string>> = {
  send_at: 'held back: it is to be sent later',
  quiet_hours: 'held back: quiet hours of the user',
  day_cap: 'held back: the cap on marketing of the day is reached',
  week_cap: 'held back: the cap on marketing of the week is reached',
  'written to the outbox: test workspace': `${OUTBOX}: this is a test workspace`,
  'written to the outbox: no provider': `${OUTBOX}: the channel has no provider`,
};

/** A sentence from words. */
export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** A reason in words, or as it is. */
const reasonText = (reason: string): string => REASONS[reason] ?? reason;

/** Why a state was entered, in words, beside the state; undefined where nothing is to be said. */
export const reasonWords = ({ reason }: Stated): string | undefined =>
  reason === undefined ? undefined : reasonText(reason).replace(`${OUTBOX}: `, '');

/** Why a notification is in its state, as a sentence; undefined where the state says it all. */
export function whyWords({ failure, history }: Notification): string | undefined {
  if (failure !== undefined) return failureWords(failure) ?? failure;
  const last = history.at(-1);
  const words = last && reasonWords(last);
  return words === undefined ? undefined : sentence(words);
}

const FAILURES: readonly (readonly [prefix: string, words: string])[] = [
  ['no_address', 'The user has no address for this channel.'],
  ['uncertain', 'It may have been sent: the connection to the provider broke off.'],
  ['suppressed: bounce', 'A message to this address came back before.'],
  ['suppressed', 'The user or a bounce forbids it.'],
  ['opted_out', 'The user refused marketing on this channel.'],
  ['not_opted_in', 'The user has not agreed to it, which its purpose or channel needs.'],
  ['expired', 'It waited longer than its template allows.'],
  ['ended', 'Its template has ended.'],
];

/** What a failure means, beside its own text. */
export const failureWords = (failure: string): string | undefined =>
  FAILURES.find(([prefix]) => failure.startsWith(prefix))?.[1];

/** A failure in words where they say all of it, or else its own text. */
export const failureSentence = (failure: string): string =>
  (/^\w+$/.test(failure) ? failureWords(failure) : undefined) ?? failure;
