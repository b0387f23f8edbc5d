/** Which schema the records of an import obey, and the name of their array on the wire. */
export type RecordKind = 'events' | 'users';

/** The fields of a record beside its free-form part. */
export const FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp'],
  users: ['userId', 'name', 'phone', 'accountNumber', 'timeZone', 'locale'],
};

/** Fields without which a record is refused. */
export const REQUIRED_FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp'],
  users: ['userId'],
};

/** The free-form part of a record. */
export const FREE_PART: Record<RecordKind, string> = { events: 'properties', users: 'traits' };
