import type { AnswerOf } from '../../../contract/endpoints.ts';
import { type Receiving, receivingOf } from '../../data/receivers.ts';
import type { Tone } from '../../parts/badge.tsx';
import { count } from '../../parts/numbers.ts';
import type { Meanings } from '../../parts/term.tsx';

export type Webhook = AnswerOf<'getWebhook'>;
export type Delivery = AnswerOf<'listAllDeliveries'>['deliveries'][number];
export type DeliveryRecord = AnswerOf<'getDelivery'>;
export type Attempt = Delivery['attempts'][number];

export const DELIVERY_TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};

const STATES = {
  disabled: ['bad', 'disabled'],
  failing: ['bad', 'failing'],
  'given up': ['bad', 'failing'],
  retrying: ['warn', 'retrying'],
  answers: ['good', 'active'],
} as const satisfies Record<Receiving, readonly [Tone, string]>;

/** What a subscription is like now. */
export const stateOf = (webhook: Webhook): readonly [Tone, string] => STATES[receivingOf(webhook)];

/** Since when it gets nothing; undefined where it answers. */
export const sinceOf = ({ status, disabledAt, failingSince }: Webhook): string | undefined =>
  status === 'active' ? failingSince : disabledAt;

/** Deliveries that one request reads. */
export const PAGE = 100;

/** From so many on, a count of what waits may be more: of one subscription, and in the list of all. */
export const MOST_WAITING = 10_000;
export const MOST_WAITING_LISTED = 1000;

export const pendingWords = (pending: number, most = MOST_WAITING): string =>
  `${count(pending)}${pending >= most ? '+' : ''}`;

/** How many deliveries to all of some subscriptions wait; undefined where that is not known. */
export function waitingTo(webhooks: readonly Webhook[], most: number): string | undefined {
  const n = webhooks.reduce((sum, { pending = NaN }) => sum + pending, 0);
  return Number.isNaN(n) ? undefined : pendingWords(n, most);
}

/** What an attempt came to: the status of the answer, or why there was none. */
export const attemptWords = ({ status, error }: Attempt): string =>
  [status === null ? 'no answer' : `HTTP ${status}`, error].filter(Boolean).join(': ');

/** True if the receiver took the delivery. */
export const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** What is wrong where no complete answer came, by what stands in its error. */
const NO_ANSWER: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'refused the connection'],
  [/no complete answer|timeout|ETIMEDOUT/i, 'timed out'],
  [/ENOTFOUND|EAI_AGAIN/, 'its name was not found'],
  [/ECONNRESET|EPIPE|socket|closed/i, 'broke off the connection'],
  [/certificate|TLS|SSL/i, 'its certificate is not valid'],
];

/** Why a delivery has not arrived: what its latest attempt came to, in a few words that many share. Undefined before a failure. */
export function reasonOf({ status, attempts }: Delivery): string | undefined {
  const last = attempts.at(-1);
  if (!last || status === 'delivered' || isSuccess(last)) return undefined;
  if (last.status !== null) return `HTTP ${last.status}`;
  const error = last.error ?? 'no answer';
  return NO_ANSWER.find(([found]) => found.test(error))?.[1] ?? error;
}

/** Which secrets signed an attempt, by their versions; empty for one of an earlier version of the service. */
export const signedWords = ({ signedBy = [] }: Attempt): string =>
  signedBy.length === 0 ? '' : `signed by secret ${signedBy.join(' and ')}`;

/** What the words of the view mean. */
export const TERMS: Meanings = [
  ['pending', 'Not sent yet, or an attempt failed and the next one comes without you.'],
  ['delivered', 'The receiver answered with a status from 200 to 299.'],
  [
    'failed',
    'No attempt succeeded in the time for retries, or the receiver answered 410: it is sent again only if you ask for it.',
  ],
  [
    'failing',
    'Every attempt of the last hour or longer has failed, or all deliveries that failed were given up.',
  ],
  ['retrying', 'The latest attempt failed, and is made again without you.'],
  [
    'fails often, mostly',
    'Of ten attempts or more, more than a tenth failed, or half of them. It is over once ten in a row succeed.',
  ],
  ['disabled', 'Nothing is sent. What occurs is kept, and can be sent when the subscription is enabled.'],
  ['P50, P95', '50 % and 95 % of the answers took this long or less; the others took longer.'],
  ['signed by secret 1', 'The version of the signing secret: a new one is added each time it is changed.'],
];
