import type { Field } from '../../cli/terminal/listing.ts';
import { objectOf } from '../../kit/object-of.ts';
import { notificationStatus } from './view.ts';

type Row = Readonly<Record<string, unknown>>;

/** The fields of a list of notifications. */
export const NOTIFICATION_FIELDS: readonly Field<Row>[] = [
  { field: 'notificationId', title: 'NOTIFICATION', whole: true },
  {
    field: 'status',
    title: 'STATUS',
    whole: true,
    cell: ({ status, sentBy }) => notificationStatus(String(status ?? ''), sentBy),
  },
  { field: 'templateId', title: 'TEMPLATE' },
  { field: 'channel', title: 'CHANNEL' },
  { field: 'history', title: 'SINCE', whole: true, cell: ({ history }) => lastTime(history) },
  { field: 'hashId', title: 'USER', extra: true, whole: true },
  { field: 'sentBy', title: 'SENT BY', extra: true },
  { field: 'priority', title: 'PRIORITY', extra: true },
  { field: 'sendAt', title: 'SEND AT', extra: true },
  { field: 'failure', title: 'FAILURE', extra: true },
];

/** When the notification entered its state, without fractions of a second. */
function lastTime(history: unknown): string {
  const { at } = objectOf(Array.isArray(history) ? history.at(-1) : undefined);
  return typeof at === 'string' ? at.replace(/\.\d+Z$/, 'Z') : '';
}
