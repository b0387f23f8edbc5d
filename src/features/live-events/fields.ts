/** The fields of a live event, in the order of the table. */
export const EVENT_FIELDS = [
  { field: 'timestamp' },
  { field: 'userId' },
  { field: 'event' },
  { field: 'origin' },
  { field: 'properties' },
] as const;

export type EventField = (typeof EVENT_FIELDS)[number]['field'];
