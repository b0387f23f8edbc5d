/** For PostgreSQL: new primary keys from indexes that exist, without reading the tables. */

/** The tables that the migration changes. Locked at once, before the first change. */
export const TABLES = [
  'event',
  'recent_event',
  'admission',
  'webhook',
  'delivery',
  'delivery_attempt',
  'decision',
  'dropped_webhook',
  'fan_out',
  'idempotency',
  'contact',
  'message',
  'notification',
];

/** Numbers of events are assigned by event_head. Index entries of events have the number of their event. */
export const changedKeys = [
  ...['event', 'recent_event', 'admission', 'webhook', 'delivery', 'delivery_attempt', 'decision'].map(
    (table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`,
  ),
  ...['event', 'recent_event'].flatMap((table) => [
    `ALTER TABLE ${table} ALTER COLUMN seq DROP IDENTITY`,
    `ALTER TABLE ${table} RENAME COLUMN seq TO number`,
  ]),
];

export const newKeys = [
  ...['event', 'recent_event', 'admission', 'webhook', 'delivery', 'delivery_attempt'].map(
    (table) => `ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY USING INDEX ${table}_key`,
  ),
  'ALTER TABLE decision ADD CONSTRAINT decision_pkey PRIMARY KEY USING INDEX decision_id',
];
