import type { AnswerOf } from '../../../contract/endpoints.ts';
import type { Tone } from '../../parts/badge.tsx';
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

/** What a subscription is like now: a disabled one gets nothing, nor does one that fails. */
export const stateOf = ({ status, failingSince }: Webhook): readonly [Tone, string] =>
  status !== 'active'
    ? ['bad', status]
    : failingSince === undefined
      ? ['good', status]
      : ['bad', 'active, failing'];

/** What an attempt came to: the status of the answer, or why there was none. */
export const attemptWords = ({ status, error }: Attempt): string =>
  [status === null ? 'no answer' : `HTTP ${status}`, error].filter(Boolean).join(': ');

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
  ['disabled', 'Nothing is sent. What occurs is kept, and can be sent when the subscription is enabled.'],
  ['95 % within', 'Of 100 answers, 95 came within this time, and 5 took longer.'],
  ['signed by secret 1', 'The version of the signing secret: a new one is added each time it is changed.'],
];
