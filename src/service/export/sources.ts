import type { EXPORT_FIELDS, ExportType } from '../../contract/export.ts';
import type { NumberedLog } from '../platform/store/retained-logs.ts';

/** Where the records of a type are stored. */
export interface Source<T extends ExportType = ExportType> {
  readonly table: string;
  /**
   * The order of the records, whose columns identify one. A log is in the order of its numbers, what has an index by time
   * in that of its time, and the rest by identifier.
   */
  readonly key: readonly string[];
  readonly order: 'number' | 'time' | 'id';
  /** The column with the time at which the record was stored, Unix ms. */
  readonly time: string;
  /** The log from which old records are removed in the order of their numbers. */
  readonly log?: NumberedLog;
  /** The SQL of each field. */
  readonly fields: Readonly<Record<keyof (typeof EXPORT_FIELDS)[T], string>>;
}

export const SOURCES: { readonly [T in ExportType]: Source<T> } = {
  user: {
    table: 'app_user',
    key: ['hash_id'],
    order: 'id',
    time: 'updated_at',
    fields: {
      userId: 'user_id',
      hashId: 'hash_id',
      timeZone: 'time_zone',
      locale: 'locale',
      updatedAt: 'updated_at',
    },
  },
  event: {
    table: 'event',
    key: ['number'],
    order: 'number',
    time: 'received_at',
    log: 'events',
    fields: {
      userId: 'user_id',
      event: 'event',
      timestamp: 'timestamp',
      properties: 'properties',
      eventId: 'event_id',
      origin: "COALESCE(origin, 'server')",
      receivedAt: 'received_at',
    },
  },
  decision: {
    table: 'decision',
    key: ['seq'],
    order: 'number',
    time: 'at_ms',
    log: 'decisions',
    fields: {
      decisionId: 'decision_id',
      hashId: 'hash_id',
      at: 'at_ms',
      context: 'context',
      contentId: 'content_id',
      candidates: 'candidates',
      reward: 'reward',
    },
  },
  message: {
    table: 'message',
    key: ['decision_id'],
    order: 'id',
    time: 'at_ms',
    fields: {
      decisionId: 'decision_id',
      hashId: 'hash_id',
      contentId: 'content_id',
      format: 'format',
      at: 'at_ms',
    },
  },
  notification: {
    table: 'notification',
    key: ['created_at', 'notification_id'],
    order: 'time',
    time: 'created_at',
    fields: {
      notificationId: 'notification_id',
      hashId: 'hash_id',
      templateId: 'template_id',
      channel: 'channel',
      priority: 'priority',
      status: 'status',
      history: 'history',
      createdAt: 'created_at',
      sendAt: 'send_at',
    },
  },
  outcome: {
    table: 'outcome',
    key: ['at_ms', 'kind', 'id', 'type'],
    order: 'time',
    time: 'at_ms',
    fields: { of: 'kind', id: 'id', outcome: 'type', at: 'at_ms' },
  },
  webhook: {
    table: 'webhook',
    key: ['webhook_id'],
    order: 'id',
    time: 'created_at',
    fields: {
      id: 'webhook_id',
      url: 'url',
      events: 'events',
      status: 'status',
      createdAt: 'created_at',
    },
  },
  delivery: {
    table: 'delivery',
    key: ['occurred_at', 'delivery_id'],
    order: 'time',
    time: 'occurred_at',
    fields: {
      deliveryId: 'delivery_id',
      webhookId: 'webhook_id',
      event: 'kind',
      status: 'status',
      attempts: 'attempts',
      occurredAt: 'occurred_at',
      body: 'body',
    },
  },
};
