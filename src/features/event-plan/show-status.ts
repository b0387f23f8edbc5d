import type { Output } from '../../cli/terminal/output.ts';
import { bold, type Text } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';

/** The first columns are numbers. */
const NUMBERS = ['STORED', 'REFUSED'];
const COLUMNS = [...NUMBERS, 'RULE', 'EVENT', 'PROPERTY', 'LAST'];

/** Renders what was counted against the plan in force. */
export function showStatus(body: unknown, out: Output): Text {
  const { events, violations, unknownEvents, days, counts, others, othersRefused } = objectOf(body);
  const plan =
    typeof events === 'number'
      ? `${events} ${events === 1 ? 'event' : 'events'} in the plan; violations: ${violations}; unknown events: ${unknownEvents}\n`
      : 'the catalog has no plan of events\n';
  const rows = (Array.isArray(counts) ? counts.map(objectOf) : []).map((row): Text[] => [
    String(row.count),
    String(row.refused ?? 0),
    String(row.rule),
    bold(String(row.event)),
    String(row.property ?? ''),
    String(row.lastAt),
  ]);
  if (rows.length === 0) return [plan, `no event of the last ${days} days was not as planned`];
  const unlisted = Number(others) + Number(othersRefused ?? 0);
  const columns = COLUMNS.map((title, i) => ({
    title,
    ...(i < NUMBERS.length && { align: 'right' as const }),
  }));
  return [plan, out.table(columns, rows), unlisted > 0 ? `\nand ${unlisted} more that are not listed` : ''];
}
