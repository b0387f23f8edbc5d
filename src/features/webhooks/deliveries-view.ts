import type { Field } from '../../cli/terminal/listing.ts';
import { objectOf } from '../../kit/object-of.ts';
import { statusText } from './view.ts';

type Row = Readonly<Record<string, unknown>>;

/** The fields of a list of deliveries; `across` for those of all subscriptions. */
export const deliveryFields = ({ across }: { across: boolean }): readonly Field<Row>[] => [
  { field: 'deliveryId', title: 'DELIVERY', whole: true },
  { field: 'webhookId', title: 'SUBSCRIPTION', whole: true, extra: !across },
  { field: 'type', title: 'KIND' },
  { field: 'status', title: 'STATUS', whole: true, cell: ({ status }) => statusText(String(status ?? '')) },
  { field: 'attempts', title: 'ATTEMPTS', cell: ({ attempts }) => attemptsText(attempts) },
  { field: 'nextAttemptAt', title: 'NEXT ATTEMPT', whole: true },
  { field: 'occurredAt', title: 'OCCURRED', whole: true, extra: true },
];

/** The number of attempts and the answer to the last one: `3, last 500`. */
function attemptsText(value: unknown): string {
  const attempts = Array.isArray(value) ? value.map(objectOf) : [];
  const last = attempts.at(-1);
  if (last === undefined) return '0';
  const answer = typeof last.status === 'number' ? last.status : (last.error ?? 'no answer');
  return `${attempts.length}, last ${answer}`;
}
