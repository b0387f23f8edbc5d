import stringWidth from 'string-width';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { bold, Rendered, render, type Text } from '../../cli/terminal/text.ts';

/** The known fields of a streamed event as text; an empty string for a missing field. */
export interface LiveEvent {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  readonly properties: string;
}

/** Parses an event; undefined for data that is not a JSON object. */
export function readEvent(data: string): LiveEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Record<string, unknown>;
  const text = (name: string) => (fields[name] === undefined ? '' : String(fields[name]));
  const properties = fields.properties === undefined ? '' : JSON.stringify(fields.properties);
  return { userId: text('userId'), event: text('event'), timestamp: text('timestamp'), properties };
}

/** Tests an event against filters. An empty list matches everything; data that is not an event matches no filter. */
export function matches(
  event: LiveEvent | undefined,
  { events, users }: { events: readonly string[]; users: readonly string[] },
): boolean {
  if (!event) return events.length === 0 && users.length === 0;
  return (
    (events.length === 0 || events.includes(event.event)) &&
    (users.length === 0 || users.includes(event.userId))
  );
}

const WIDTHS = [24, 20, 20] as const;

export function tableHead(columns: number | undefined): Text {
  return bold(row(['TIMESTAMP', 'USER', 'EVENT', 'PROPERTIES'], columns));
}

/** Renders a table line: columns of fixed width on a terminal, separated by tabs in a pipe. */
export function tableLine(event: LiveEvent | undefined, data: string, columns: number | undefined): Text {
  const cells = event ? [event.timestamp, event.userId, event.event, event.properties] : ['', '', '', data];
  return new Rendered(row(cells, columns));
}

function row(cells: readonly string[], columns: number | undefined): string {
  const clean = cells.map((cell) => render(cell, false, sanitizeLine));
  if (columns === undefined) return clean.join('\t');
  const fixed = clean.slice(0, 3).map((cell, index) => pad(cell, WIDTHS[index]!));
  const rest = columns - WIDTHS.reduce((sum, width) => sum + width + 2, 0);
  return `${fixed.join('  ')}  ${rest > 8 ? truncate(clean[3]!, rest) : ''}`.trimEnd();
}

function pad(text: string, width: number): string {
  const fitted = truncate(text, width);
  return fitted + ' '.repeat(Math.max(0, width - stringWidth(fitted)));
}

/** Truncates text to a display width, in which some characters take two columns. */
function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let fitting = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(fitting + segment) > width - 1) break;
    fitting += segment;
  }
  return `${fitting}…`;
}
