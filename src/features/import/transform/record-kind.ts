/** The kind of the records of an import; also the name of their array in requests. */
export type RecordKind = 'events' | 'users';

/** The fields of a record, without its free-form part. */
export const FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp'],
  users: ['userId', 'name', 'phone', 'accountNumber', 'timeZone', 'locale'],
};

/** The required fields of a record. */
export const REQUIRED_FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp'],
  users: ['userId'],
};

/** The field that holds the free-form part of a record. */
export const FREE_PART: Record<RecordKind, string> = { events: 'properties', users: 'traits' };
