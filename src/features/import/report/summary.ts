import { bold, type Text } from '../../../cli/terminal/text.ts';
import { UNLIMITED } from '../../../contract/limits.ts';
import { firstOf } from '../../../kit/first-of.ts';
import type { Reasons } from '../record/reasons.ts';
import type { ImportEnd, ImportResult } from './result.ts';

function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** Maximum number of characters of a field's name. */
const MAX_CHARS = 60;

/** Lists the fields for which most records were rejected: `: timestamp 60, userId 11`. Empty if none was. */
function whyText(reasons: Reasons): string {
  const { fields, others } = reasons.top();
  const parts: [string, number][] = fields.map(([field, records]) => [field.slice(0, MAX_CHARS), records]);
  if (others > 0) parts.push(['others', others]);
  const text = parts.map(([field, records]) => `${field} ${records.toLocaleString('en-US')}`).join(', ');
  return text && `: ${text}`;
}

/** Formats the plan of an import. */
export function planSummary(
  result: ImportResult,
  reasons: Reasons,
  plan: {
    batches: number;
    bytes: number;
    requests: number;
    limit: number;
    limitSeen: boolean;
    leastSeconds: number;
  },
  noun: string,
): Text {
  const n = (value: number) => value.toLocaleString('en-US');
  const source = plan.limitSeen ? 'last seen' : 'the default';
  return [
    `dry run: nothing was sent\n  ${n(result.read)} ${noun} read, `,
    bold(`${n(result.unsent)} can be sent`),
    `, ${n(result.rejected)} rejected${whyText(reasons)}${result.filtered > 0 ? `; ${n(result.filtered)} more left out by --where` : ''}\n`,
    `  ${count(plan.batches, 'batch', 'batches')}, ${count(plan.bytes, 'byte')}, ${count(plan.requests, 'request')}\n`,
    plan.limit === UNLIMITED
      ? `  the service has no rate limit (${source})`
      : `  at least ${n(plan.leastSeconds)} s at ${n(plan.limit)} requests a minute (${source})`,
    dataText(result),
    violationsText(result),
    result.rejectsFile ? `\n  rejects: ${result.rejectsFile}` : '',
  ];
}

/** Formats the result of an import; `slow` is given if the rate limit slowed it down. */
export function summary(
  { result, reasons, unread }: Pick<ImportEnd, 'result' | 'reasons' | 'unread'>,
  noun: string,
  slow?: { readonly held: string; readonly faster: readonly string[] } | undefined,
): Text {
  const n = (value: number) => value.toLocaleString('en-US');
  const rows: [string, string][] = [
    ['read', n(result.read)],
    ['accepted', n(result.accepted)],
    ['rejected', n(result.rejected)],
    ['skipped', n(result.skipped)],
    ['unsent', n(result.unsent)],
    ...(result.filtered > 0 ? [['filtered', n(result.filtered)] satisfies [string, string]] : []),
  ];
  const more: Readonly<Record<string, string>> = {
    read: unread ? '; the rest of the input was not read' : '',
    accepted: result.duplicates > 0 ? `; ${n(result.duplicates)} with a repeated eventId` : '',
    rejected: whyText(reasons),
    filtered: '; left out by --where, not read',
  };
  const width = Math.max(...rows.map(([, value]) => value.length));
  const requests =
    `${count(result.batches, 'batch', 'batches')} in ${count(result.requests, 'request')}, ` +
    `${count(result.retries, 'retry', 'retries')}, ` +
    `${n(result.rateLimited)} over the limit`;
  const lines: Text[] = rows.map(([name, value]) => [
    `  ${name.padEnd(9)}`,
    bold(value.padStart(width)),
    `${more[name] ?? ''}\n`,
  ]);
  const rate = `${n(result.eventsPerSecond)} ${noun}/s, ${(result.elapsedMs / 1000).toFixed(1)} s`;
  lines.push(`  ${requests}\n  ${n(result.bytes)} bytes, ${rate}`);
  lines.push(dataText(result), violationsText(result));
  if (slow) lines.push(`\n  ${slow.held}\n  faster:  ${slow.faster.join('\n           ')}`);
  if (result.rejectsFile) lines.push(`\n  rejects: ${result.rejectsFile}`);
  if (result.resumeCommand) lines.push(`\n  resume:  ${result.resumeCommand}`);
  return lines;
}

/** Violations of the plan that are printed. */
const MAX_SHOWN = 20;

/** What events do against `--plan`, by event and property. */
function violationsText({ violations = [], otherViolations = 0 }: ImportResult): string {
  if (violations.length === 0) return '';
  const shown = violations.slice(0, MAX_SHOWN);
  const rows = shown.map(({ event, property, rule, count }) => [
    count.toLocaleString('en-US'),
    rule,
    event.slice(0, MAX_CHARS),
    property.slice(0, MAX_CHARS),
  ]);
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  const more = violations.slice(MAX_SHOWN).reduce((sum, { count }) => sum + count, otherViolations);
  const lines = rows.map(([count, ...names]) =>
    `    ${[count!.padStart(widths[0]!), ...names.map((name, i) => name.padEnd(widths[i + 1] ?? 0))].join('  ')}`.trimEnd(),
  );
  if (more > 0) lines.push(`    and ${more.toLocaleString('en-US')} more`);
  return `\n  not as planned:\n${lines.join('\n')}`;
}

/** Maximum number of columns that are named for a type. */
const MAX_COLUMNS = 8;

/** The times of the records, and the types of the columns. */
function dataText({ firstTimestamp, lastTimestamp, types }: ImportResult): string {
  const times = firstTimestamp === null ? '' : `\n  times:   ${firstTimestamp} to ${lastTimestamp}`;
  const named = (['number', 'boolean', 'string'] as const).flatMap((type) => {
    const columns = Object.keys(types).filter((name) => types[name] === type);
    if (columns.length === 0) return [];
    const short = columns.map((name) => name.slice(0, MAX_CHARS));
    return `${type === 'string' ? 'text' : type} ${firstOf(short, MAX_COLUMNS)}`;
  });
  return times + (named.length > 0 ? `\n  types:   ${named.join('; ')}` : '');
}

/** The notice about times without a zone that were assumed to be UTC. */
export function zonelessText(times: number): string {
  return (
    `${count(times, 'time')} had no time zone and ${times === 1 ? 'was' : 'were'} read as UTC; ` +
    `use --time-zone Europe/Berlin for another zone`
  );
}
