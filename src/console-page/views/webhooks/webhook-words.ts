import type { AnswerOf } from '../../../contract/endpoints.ts';
import type { Tone } from '../../parts/badge.tsx';

export type Webhook = AnswerOf<'getWebhook'>;
export type Delivery = AnswerOf<'listAllDeliveries'>['deliveries'][number];
export type DeliveryRecord = AnswerOf<'getDelivery'>;
export type Attempt = Delivery['attempts'][number];

export const DELIVERY_TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};

/** What an attempt came to: the status of the answer, or why there was none. */
export const attemptWords = ({ status, error }: Attempt): string =>
  [status === null ? 'no answer' : `HTTP ${status}`, error].filter(Boolean).join(': ');

/** Which secrets signed an attempt, by their versions; empty for one of an earlier version of the service. */
export const signedWords = ({ signedBy = [] }: Attempt): string =>
  signedBy.length === 0 ? '' : `signed by secret ${signedBy.join(' and ')}`;
