import { jsonString } from '../../../kit/json/json-string.ts';

/** The kind of the records of an import; also the name of their array in requests. */
export type RecordKind = 'events' | 'users';

/** The fields of a record, without its free-form part. */
export const FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp', 'eventId'],
  users: [
    ...['userId', 'name', 'phone', 'accountNumber', 'timeZone', 'locale'],
    ...['phones', 'emails', 'devices', 'optIn', 'optOut'],
  ],
};

/** Fields that are lists. A cell of a table has their entries separated by semicolons or commas. */
const LISTS = new Set(['phones', 'emails', 'optIn', 'optOut']);

export const isList = (kind: RecordKind, name: string): boolean => kind === 'users' && LISTS.has(name);

/** The JSON text of a field from the text of a cell. */
export function fieldJson(kind: RecordKind, name: string, text: string): string {
  if (!isList(kind, name)) return jsonString(text);
  const entries = text.split(/[;,]/).map((entry) => entry.trim());
  return JSON.stringify(entries.filter((entry) => entry !== ''));
}

/** The required fields of a record. */
export const REQUIRED_FIELDS: Record<RecordKind, readonly string[]> = {
  events: ['userId', 'event', 'timestamp'],
  users: ['userId'],
};

/** The field that holds the free-form part of a record. */
export const FREE_PART: Record<RecordKind, string> = { events: 'properties', users: 'traits' };
