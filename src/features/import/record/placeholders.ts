/** What printed commands have in place of what only the user can say. */
export const PLACEHOLDERS = {
  /** The constant of a field. */
  set: { userId: 'USER_ID', event: 'EVENT_NAME', timestamp: 'TIMESTAMP' },
  /** The column of a field. */
  map: { userId: 'USER_ID_COLUMN', event: 'EVENT_COLUMN', timestamp: 'TIMESTAMP_COLUMN' },
  column: 'COLUMN',
  timestampFormat: 'TIMESTAMP_FORMAT',
  timeZone: 'TIME_ZONE',
  encoding: 'ENCODING',
} as const;

const { set, map, column } = PLACEHOLDERS;
const FOR_FIELDS: ReadonlySet<string> = new Set([...Object.values(set), ...Object.values(map), column]);

/** Returns whether a constant or a column of a field was left as it was printed. */
export function isPlaceholder(text: string): boolean {
  return FOR_FIELDS.has(text);
}
