import { table } from '../../../cli/terminal/table.ts';
import { bold, cyan, Rendered, type Text } from '../../../cli/terminal/text.ts';
import { firstOf } from '../../../kit/first-of.ts';
import { ambiguityNotes } from '../guess/ambiguity.ts';
import type { Findings } from '../guess/findings.ts';
import { CHOICE } from '../guess/roles.ts';
import { firstNames } from '../input/archive/files-in.ts';
import type { Reasons } from '../record/reasons.ts';
import type { InspectedColumn, Inspection } from './inspection.ts';

/** Maximum number of columns that are listed. */
const MAX_COLUMNS = 60;
const MAX_CHARS = 40;
/** Maximum number of empty columns that are named. */
const MAX_EMPTY = 12;
const DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'a comma',
  ';': 'a semicolon',
  '\t': 'a tab',
  '|': 'a vertical bar',
};

/** What would be rejected of the records that were read. */
export interface Rejections {
  readonly read: number;
  readonly rejected: number;
  readonly reasons: Reasons;
}

/**
 * Formats an inspection for a terminal of `width` columns, or for a pipe. `apart`: the commands that inspect each table alone,
 * where no command imports all.
 */
export function inspectionText(
  inspection: Inspection,
  findings: Findings,
  rejections: Rejections | undefined,
  {
    width,
    color,
    apart,
  }: { width: number | undefined; color: boolean; apart?: readonly string[] | undefined },
): Text {
  const filled = inspection.columns.filter(({ distinct }) => distinct > 0);
  const columns = filled.slice(0, MAX_COLUMNS);
  const rows = columns.map((column) => [
    column.name === '' ? '(no name)' : column.name.slice(0, 2 * MAX_CHARS),
    column.type,
    count(column.empty),
    count(column.distinct),
    valuesOf(column),
    column.role ?? '',
  ]);
  const more = filled.length - columns.length;
  const shown = table(
    [
      { title: 'Column' },
      { title: 'Type' },
      { title: 'Empty', align: 'right' },
      { title: 'Distinct', align: 'right' },
      { title: 'Values' },
      { title: 'Role' },
    ],
    rows,
    { width, color },
  );
  const lines: Text[] = [
    [bold(firstNames(inspection.files)), `\n${formText(inspection)}\n${rowsText(inspection, findings)}\n\n`],
    new Rendered(shown),
    emptyText(inspection),
    more > 0 ? `\nand ${count(more)} more columns; --json lists them` : '',
    ...(apart
      ? [
          '\n\nthe inputs hold tables of different columns; inspect each alone:',
          ...apart.map((command) => ['\n  ', cyan(command)]),
        ]
      : [
          ...notesOf(inspection, findings, rejections).map((note) => `\n${note}`),
          inspection.command === ''
            ? '\n\nno command would import any of these records'
            : ['\n\nimport it:\n  ', cyan(inspection.command)],
        ]),
  ];
  return lines;
}

/** Lists the columns without values in the sample. */
function emptyText({ columns }: Inspection): string {
  const empty = columns.filter(({ distinct, name }) => distinct === 0 && name !== '').map(({ name }) => name);
  if (empty.length === 0) return '';
  const short = empty.map((name) => name.slice(0, MAX_CHARS));
  return `\nempty: ${firstOf(short, MAX_EMPTY)}`;
}

function formText({ format, encoding, compression, delimiter, header }: Inspection): string {
  if (format === 'parquet') return 'Parquet';
  const parts = [format.toUpperCase(), encoding.toUpperCase()];
  if (compression) parts.push(`compressed with ${compression}`);
  if (delimiter !== null)
    parts.push(`cells separated by ${DELIMITERS[delimiter] ?? JSON.stringify(delimiter)}`);
  if (header !== null) parts.push(header ? 'with a header' : 'without a header');
  return parts.join(', ');
}

function rowsText({ rows, rowsExact }: Inspection, { samples }: Findings): string {
  const read = samples.reduce((sum, sample) => sum + sample.records, 0);
  const sampled = read < rows ? `; the columns are described by the first ${count(read)}` : '';
  return `${rowsExact ? '' : 'about '}${count(rows)} records${rowsExact ? '' : ' (estimated)'}${sampled}`;
}

function valuesOf({ type, min, max, examples, distinct }: InspectedColumn): string {
  if (distinct === 0) return '';
  if (type === 'number' && min !== max) return `${min} … ${max}`;
  return examples.map((text) => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text)).join(', ');
}

function notesOf(
  { timestamps }: Inspection,
  { suggestion, candidates, problem }: Findings,
  rejections: Rejections | undefined,
): string[] {
  const notes: string[] = [''];
  for (const [role, column] of suggestion.roles) {
    const why = suggestion.reasons.get(role);
    const others = candidates[role]
      .filter(({ profile, score }) => profile.name !== column && score >= CHOICE)
      .slice(0, 3);
    const also = others.map(({ profile }) => profile.name).join(', ');
    notes.push(`${role}: ${column}${why ? ` (${why})` : ''}${also && why ? `; also possible: ${also}` : ''}`);
  }
  const { time, eventId } = suggestion;
  if (eventId !== undefined)
    notes.push(`eventId: ${eventId}, so that each event is stored once where the service takes it`);
  if (timestamps.first !== null) notes.push(`times: ${timestamps.first} to ${timestamps.last}`);
  if (time?.zoneless && !suggestion.ambiguities.some(({ flag }) => flag.startsWith('--time-zone')))
    notes.push('times have no zone and are read as UTC; --time-zone Europe/Berlin for another');
  if (time?.dateOnly) notes.push('times have no time of day: midnight');
  if (rejections && rejections.rejected > 0) {
    const { fields } = rejections.reasons.top();
    const fieldText = fields.map(([field, records]) => `${field.slice(0, 60)} ${count(records)}`).join(', ');
    notes.push(
      `${count(rejections.rejected)} of ${count(rejections.read)} records read would be rejected: ${fieldText}`,
    );
  }
  if (problem) notes.push(`the command would be refused: ${problem}`);
  const open = ambiguityNotes(suggestion);
  if (open.length > 0) notes.push('replace what is in capitals:', ...open.map((note) => `  ${note}`));
  return notes;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
