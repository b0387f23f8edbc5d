/**
 * What is exported of each kind of record (`svc data export`, `exportRecords`). Not exported are keys and secrets, personal
 * fields, which are encrypted with the data key, and the service's internal state.
 */

/**
 * How a field is stored and written: `text`; `instant`, a date-time in UTC as it was sent; `json`, JSON as it was sent;
 * `time`, Unix ms, written in ISO 8601; whole numbers and others.
 */
export type ExportKind = 'text' | 'instant' | 'json' | 'time' | 'integer' | 'double';

/** A field; `sparse` ones are left out of records that have none. */
export type ExportField = readonly [kind: ExportKind, sparse?: 'sparse'];

export const EXPORT_FIELDS = {
  user: {
    userId: ['text'],
    hashId: ['text'],
    timeZone: ['text'],
    locale: ['text'],
    updatedAt: ['time'],
  },
  event: {
    userId: ['text'],
    event: ['text'],
    timestamp: ['instant'],
    properties: ['json'],
    eventId: ['text', 'sparse'],
    origin: ['text'],
    receivedAt: ['time'],
  },
  decision: {
    decisionId: ['text'],
    hashId: ['text'],
    at: ['time'],
    context: ['json'],
    contentId: ['text'],
    candidates: ['json'],
    reward: ['double'],
  },
  message: {
    decisionId: ['text'],
    hashId: ['text'],
    contentId: ['text'],
    format: ['text'],
    at: ['time'],
  },
  notification: {
    notificationId: ['text'],
    hashId: ['text'],
    templateId: ['text'],
    channel: ['text'],
    priority: ['text'],
    status: ['text'],
    history: ['json'],
    createdAt: ['time'],
    sendAt: ['time', 'sparse'],
  },
  outcome: { of: ['text'], id: ['text'], outcome: ['text'], at: ['time'] },
  webhook: {
    id: ['text'],
    url: ['text'],
    events: ['json'],
    status: ['text'],
    createdAt: ['time'],
  },
  delivery: {
    deliveryId: ['text'],
    webhookId: ['text'],
    event: ['text'],
    status: ['text'],
    attempts: ['integer'],
    occurredAt: ['time'],
    body: ['json'],
  },
} as const satisfies Record<string, Readonly<Record<string, ExportField>>>;

export type ExportType = keyof typeof EXPORT_FIELDS;

/** The types that `exportRecords` answers, by their name in its path. */
export const REMOTE_EXPORTS = {
  events: 'event',
  decisions: 'decision',
  deliveries: 'delivery',
  notifications: 'notification',
  outcomes: 'outcome',
} as const satisfies Record<string, ExportType>;

/** The fields of a type, in their order. */
export const exportFields = (type: ExportType): [name: string, field: ExportField][] =>
  Object.entries(EXPORT_FIELDS[type]);

/** The values of a field, one a record: text, a number, or null where a record has none. */
export type ExportColumn = readonly (string | number | null)[];

/** Maximum records and bytes of a page of `exportRecords`; a larger record is a page alone. */
export const EXPORT_PAGE = 4000;
export const EXPORT_PAGE_BYTES = 1024 * 1024;
