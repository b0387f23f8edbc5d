import type { Field } from '../../cli/terminal/listing.ts';

type Row = Readonly<Record<string, unknown>>;

/** What an entry is about, by its kind. */
function about(row: Row): string {
  const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
  switch (row.kind) {
    case 'event':
      return text(row.event);
    case 'decision':
      return row.contentId === null ? 'nothing chosen' : text(row.contentId);
    case 'message':
      return [row.contentId, row.format, row.servedAt === null ? 'waits for the app' : 'served']
        .map(text)
        .join(' ');
    case 'outcome':
      return `${text(row.outcome)} (${[row.of, row.contentId ?? row.templateId].map(text).join(' ').trim()})`;
    default:
      return [row.templateId, row.channel, row.status, row.reason].map(text).filter(Boolean).join(' ');
  }
}

/** The fields of a timeline. */
export const TIMELINE_FIELDS: readonly Field<Row>[] = [
  { field: 'at', title: 'AT', whole: true },
  { field: 'kind', title: 'KIND', whole: true },
  { field: 'id', title: 'ID', whole: true },
  // Not a member of the entries: its cell says what matters of each kind.
  { field: 'contentId', title: 'ABOUT', cell: about },
  { field: 'reward', title: 'REWARD', align: 'right', extra: true },
  { field: 'policy', title: 'POLICY', extra: true },
  { field: 'context', title: 'CONTEXT', extra: true },
];
