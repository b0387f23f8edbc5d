import stringWidth from 'string-width';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { bold, Rendered, render, type Text } from '../../cli/terminal/text.ts';
import { membersOf } from '../../kit/json/json-members.ts';
import { objectOf } from '../../kit/object-of.ts';
import type { EventField } from './fields.ts';

/** The known fields of a streamed event as text; an empty string for a missing field. */
export interface LiveEvent {
  readonly userId: string;
  readonly event: string;
  readonly timestamp: string;
  readonly properties: string;
  readonly origin: string;
}

/** Undefined for data that is not JSON. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Parses an event; undefined for data that is not a JSON object. */
export function readEvent(data: string): LiveEvent | undefined {
  const value = parsed(data);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Record<string, unknown>;
  const text = (name: string) => (fields[name] === undefined ? '' : String(fields[name]));
  const properties = membersAsText(data).properties ?? '';
  return {
    userId: text('userId'),
    event: text('event'),
    timestamp: text('timestamp'),
    origin: text('origin'),
    properties,
  };
}

/** What a message of the type `gap` says. */
export function removedText(data: string): string {
  const { removedBefore } = objectOf(parsed(data));
  return `events${typeof removedBefore === 'string' ? ` from before ${removedBefore}` : ''} were removed by the service: some are missing here`;
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

const TITLES = {
  timestamp: 'TIMESTAMP',
  userId: 'USER',
  event: 'EVENT',
  origin: 'ORIGIN',
  properties: 'PROPERTIES',
} as const;

/** How lines are laid out: the fields in their order, and the width of the terminal; undefined in a pipe. */
export interface Layout {
  readonly fields: readonly EventField[];
  readonly columns: number | undefined;
}

/** Widths of a time without fractions of a second, and of an origin. */
const WIDTHS: Partial<Record<EventField, number>> = { timestamp: 20, origin: 6 };
/** Widths of the names of users and events: the smallest, and the largest. */
const NAME_WIDTHS = [14, 28] as const;
const GAP = 2;

/** The width of each field but the last, which takes the rest. */
function widthsOf({ fields, columns = 0 }: Layout): number[] {
  const fixed = fields.map((field) => WIDTHS[field]).filter((width) => width !== undefined);
  const room = fixed.reduce((left, width) => left - width - GAP, columns);
  // The properties get at least as much as a name.
  const name = Math.floor(room / Math.max(1, fields.length - fixed.length)) - GAP;
  const fitted = Math.max(NAME_WIDTHS[0], Math.min(NAME_WIDTHS[1], name));
  return fields.map((field) => WIDTHS[field] ?? fitted);
}

export function tableHead(layout: Layout): Text {
  return bold(
    row(
      layout.fields.map((field) => TITLES[field]),
      layout,
    ),
  );
}

/**
 * Renders a table line. A pipe gets the values as they are, separated by tabs. On a terminal, columns have a fixed
 * width, times no fractions of a second, and properties the form `name=value`.
 */
export function tableLine(event: LiveEvent | undefined, data: string, layout: Layout): Text {
  const { fields, columns } = layout;
  if (!event) {
    const whole =
      columns === undefined ? fields.map((field) => (field === 'properties' ? data : '')) : [data];
    return new Rendered(row(whole, layout));
  }
  const onTerminal: LiveEvent = {
    ...event,
    timestamp: event.timestamp.replace(/\.\d+Z$/, 'Z'),
    properties: pairs(event.properties),
  };
  const shown = columns === undefined ? event : onTerminal;
  return new Rendered(
    row(
      fields.map((field) => shown[field]),
      layout,
    ),
  );
}

/** Writes an object of scalars as `name=value`, strings in quotes only where they hold a space or a quote. */
function pairs(json: string): string {
  if (!json.startsWith('{')) return json;
  return Object.entries(membersAsText(json))
    .map(([name, value]) => `${name}=${/^"[^\s"\\]+"$/.test(value) ? value.slice(1, -1) : value}`)
    .join(' ');
}

/** The members of a JSON object as they are spelled: numbers keep all of their digits. */
function membersAsText(json: string): Record<string, string> {
  return Object.fromEntries(membersOf(json).map(({ name, start, end }) => [name, json.slice(start, end)]));
}

/** One line of JSON: the event as it came, or only the selected fields. */
export function jsonLine(data: string, fields: readonly string[] | undefined): string {
  if (!fields) return data.replace(/\n/g, ' ');
  const event = membersAsText(data);
  const given = fields.filter((field) => event[field] !== undefined);
  return `{${given.map((field) => `${JSON.stringify(field)}:${event[field]!.replace(/\n/g, ' ')}`).join(',')}}`;
}

function row(cells: readonly string[], layout: Layout): string {
  const clean = cells.map((cell) => render(cell, false, sanitizeLine));
  const { columns } = layout;
  if (columns === undefined) return clean.join('\t');
  const widths = widthsOf(layout);
  let line = '';
  clean.forEach((cell, i) => {
    const rest = columns - stringWidth(line);
    const last = i === clean.length - 1;
    line += last ? truncate(cell, rest) : `${pad(cell, Math.min(widths[i]!, rest))}${' '.repeat(GAP)}`;
  });
  return truncate(line.trimEnd(), columns);
}

function pad(text: string, width: number): string {
  const fitted = truncate(text, width);
  return fitted + ' '.repeat(Math.max(0, width - stringWidth(fitted)));
}

/** Truncates text to a display width, in which some characters take two columns. */
function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width < 2) return '';
  let fitting = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(fitting + segment) > width - 1) break;
    fitting += segment;
  }
  return `${fitting}…`;
}
