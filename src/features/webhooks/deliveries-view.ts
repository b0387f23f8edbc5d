import type { Field } from '../../cli/terminal/listing.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { bold, type Text } from '../../cli/terminal/text.ts';
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

/** Renders a delivery: its fields and its body, then its attempts. */
export function showDelivery(body: unknown, out: Output): Text {
  const delivery = objectOf(body);
  const lines: Text[] = [];
  for (const [title, key] of [
    ['delivery', 'deliveryId'],
    ['subscription', 'webhookId'],
    ['kind', 'type'],
    ['status', 'status'],
    ['occurred', 'occurredAt'],
    ['next attempt', 'nextAttemptAt'],
    ['body', 'body'],
  ] as const) {
    const value = delivery[key];
    if (typeof value !== 'string') continue;
    lines.push([bold(title.padEnd(13)), key === 'status' ? statusText(value) : value, '\n']);
  }
  const attempts = Array.isArray(delivery.attempts) ? delivery.attempts.map(objectOf) : [];
  if (attempts.length === 0) return [...lines, 'no attempts'];
  return [
    ...lines,
    out.table(
      [
        { title: 'ATTEMPT', whole: true },
        { title: 'ANSWER' },
        { title: 'MS', align: 'right' },
        { title: 'SIGNED BY' },
      ],
      attempts.map((attempt) => [
        String(attempt.at ?? ''),
        String(answerTo(attempt)),
        String(attempt.durationMs ?? ''),
        signers(attempt.signedBy),
      ]),
    ),
  ];
}

/** The secrets that signed an attempt: `secret 2 and 1`; empty where it is not known. */
const signers = (versions: unknown): string =>
  Array.isArray(versions) && versions.length > 0 ? `secret ${versions.map(String).join(' and ')}` : '';

const answerTo = ({ status, error }: Row) => (typeof status === 'number' ? status : (error ?? 'no answer'));

/** The number of attempts and the answer to the last one: `3, last 500`. */
function attemptsText(value: unknown): string {
  const attempts = Array.isArray(value) ? value.map(objectOf) : [];
  const last = attempts.at(-1);
  if (last === undefined) return '0';
  return `${attempts.length}, last ${answerTo(last)}`;
}
