import {
  EXPORT_FIELDS,
  type ExportColumn,
  type ExportField,
  type ExportType,
} from '../../contract/export.ts';
import { countFitting } from '../platform/store/pages.ts';
import { removals } from '../platform/store/retention/removals.ts';
import type { SqlValue, Tx } from '../platform/store/store.ts';
import { SOURCES, type Source } from './sources.ts';

/** Which records, by the time at which they were stored: from `since` on and before `until`, Unix ms. */
export interface Span {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Where a page continues: the key of the last record before it, and of a log the number after which none is searched. */
export interface Cursor {
  readonly after: readonly (string | number)[];
  readonly last?: number | undefined;
}

export interface ExportPage {
  /** The values of each field, as they are stored. */
  readonly columns: Readonly<Record<string, ExportColumn>>;
  readonly rows: number;
  /** Undefined on the last page. */
  readonly next: Cursor | undefined;
  /** Records from before this time, Unix ms, were removed by age, and the span begins before it. On the last page only. */
  readonly removedBefore?: number | undefined;
}

/** Maximum records and bytes of a page. */
interface PageSize {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * The numbers of a log are in the order of commits, its times those at which transactions began on the clocks of its
 * nodes. A record stands at most so far, in ms, from where its time belongs.
 */
const DISORDER_MS = 24 * 3_600_000;

type Columns = Record<string, ExportColumn>;

/**
 * Reads a page of the records of a type, in the order of its source. A page with few records, or none, may have a next one:
 * the work for a page is bounded, however few of the records that it reads are within the span.
 */
export async function readExportPage(
  tx: Tx,
  workspaceId: string,
  type: ExportType,
  span: Span,
  cursor: Cursor | undefined,
  size: PageSize,
): Promise<ExportPage> {
  const source: Source = SOURCES[type];
  const from = cursor ?? (await firstCursor(tx, workspaceId, source, span));
  const part = partOf(workspaceId, source, span, from);
  const { count, more } = await countOf(tx, type, source, part, size);
  const { found, after } = await readColumns(tx, type, source, part, count);
  const columns = within(found, source, span);
  if (more) {
    return { columns, rows: lengthOf(columns), next: { after, last: from?.last } };
  }
  const removed = source.log && (await removals.of(tx, workspaceId, source.log));
  const isMissed = removed && (span.since === undefined || span.since < removed.before);
  return {
    columns,
    rows: lengthOf(columns),
    next: undefined,
    ...(isMissed ? { removedBefore: removed.before } : {}),
  };
}

/** The records of a page and all that follow it: the clauses from FROM on, without ORDER and LIMIT. */
interface Part {
  readonly table: string;
  /** More conditions than that of the workspace. */
  readonly conditions: string;
  readonly params: readonly SqlValue[];
}

function partOf(
  workspaceId: string,
  { table, key, order, time }: Source,
  { since, until }: Span,
  cursor: Cursor | undefined,
): Part {
  const conditions: [string, ...SqlValue[]][] = [];
  if (order === 'time') {
    if (since !== undefined) conditions.push([`${time} >= ?`, since]);
    if (until !== undefined) conditions.push([`${time} < ?`, until]);
    // What the index can seek.
    if (cursor) conditions.push([`${time} >= ?`, cursor.after[0]!]);
  }
  if (cursor && cursor.after.length > 0)
    conditions.push([`(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`, ...cursor.after]);
  if (cursor?.last !== undefined) conditions.push([`${key[0]} <= ?`, cursor.last]);
  return {
    table,
    conditions: conditions.map(([text]) => ` AND ${text}`).join(''),
    params: [workspaceId, ...conditions.flatMap(([, ...values]) => values)],
  };
}

/** The page of a part: how many records fit into it, and whether more may follow. */
function countOf(tx: Tx, type: ExportType, { key, fields }: Source, part: Part, size: PageSize) {
  const kinds: Readonly<Record<string, ExportField>> = EXPORT_FIELDS[type];
  const long = Object.entries<string>(fields).flatMap(([name, sql]) => {
    const [kind] = kinds[name]!;
    return kind === 'time' || kind === 'integer' || kind === 'double' ? [] : [sql];
  });
  const from = `${part.table} WHERE workspace_id = ?${part.conditions}`;
  return countFitting(
    tx,
    { long, from, params: part.params, order: key.join(', '), limit: size.rows },
    size.bytes,
  );
}

/**
 * Reads columns as JSON arrays, which costs a fraction of what a value of its own costs in the drivers. Not so numbers that
 * are not whole, of which SQLite writes 15 digits into JSON. `after` is the key of the last record.
 */
async function readColumns(
  tx: Tx,
  type: ExportType,
  { key, fields }: Source,
  part: Part,
  count: number,
): Promise<{ found: Columns; after: Cursor['after'] }> {
  const kinds: Readonly<Record<string, ExportField>> = EXPORT_FIELDS[type];
  const named = Object.entries<string>(fields);
  const doubles = named.filter(([name]) => kinds[name]![0] === 'double');
  const packed = named.filter(([name]) => kinds[name]![0] !== 'double');
  const read = (selected: readonly string[]) =>
    `SELECT ${selected.join(', ')} FROM ${part.table} WHERE workspace_id = ?${part.conditions} ORDER BY ${key.join(', ')} LIMIT ?`;
  const params = [...part.params, count];
  const array = tx.sql.dialect.name === 'sqlite' ? 'json_group_array' : 'json_agg';
  const ofAll = [
    // Of a key of one column, the last is the greatest.
    ...key.map((_, i) =>
      key.length === 1 ? `max(k${i}) AS k${i}` : `CAST(${array}(k${i}) AS TEXT) AS k${i}`,
    ),
    ...packed.map((_, i) => `CAST(${array}(c${i}) AS TEXT) AS a${i}`),
  ];
  const selected = [
    ...key.map((sql, i) => `${sql} AS k${i}`),
    ...packed.map(([, sql], i) => `${sql} AS c${i}`),
  ];
  const arrays = await tx.sql.get<Record<string, string | null>>(
    `SELECT ${ofAll.join(', ')} FROM (${read(selected)}) AS records`,
    params,
  );
  const found: Columns = {};
  for (const [i, [name]] of packed.entries()) found[name] = JSON.parse(arrays![`a${i}`] ?? '[]');
  for (const [name, sql] of doubles) {
    const rows = await tx.sql.all<{ value: number | null }>(read([`${sql} AS value`]), params);
    found[name] = rows.map(({ value }) => value);
  }
  const after = key.map((_, i) =>
    key.length === 1 ? arrays![`k${i}`]! : JSON.parse(arrays![`k${i}`] ?? '[]').at(-1),
  );
  return { found, after };
}

/** The fields of the records within a span, without the columns of the key. */
function within(found: Columns, { time, order, fields }: Source, { since, until }: Span): Columns {
  const names = Object.keys(fields);
  const bounded = since !== undefined || until !== undefined;
  if (order === 'time' || !bounded) return Object.fromEntries(names.map((name) => [name, found[name]!]));
  const [timeField] = Object.entries(fields).find(([, sql]) => sql === time)!;
  const isIn = found[timeField]!.map(
    (at) => (since === undefined || Number(at) >= since) && (until === undefined || Number(at) < until),
  );
  return Object.fromEntries(names.map((name) => [name, found[name]!.filter((_, i) => isIn[i])]));
}

const lengthOf = (columns: Columns): number => Object.values(columns)[0]!.length;

/** Where the records of a span begin and end in a log, so that the rest of it is not read; undefined to read all. */
async function firstCursor(
  tx: Tx,
  workspaceId: string,
  source: Source,
  { since, until }: Span,
): Promise<Cursor | undefined> {
  if (source.order !== 'number' || (since === undefined && until === undefined)) return undefined;
  const before = since && (await lastBefore(tx, workspaceId, source, since - DISORDER_MS));
  const last = until && (await lastBefore(tx, workspaceId, source, until + DISORDER_MS));
  return { after: [before ?? 0], last };
}

/** The number of the last record of a log from before a time, about; 0 if there is none. Reads two records a halving. */
async function lastBefore(
  tx: Tx,
  workspaceId: string,
  { table, key, time }: Source,
  before: number,
): Promise<number> {
  const end = await tx.sql.get<{ number: number | null }>(
    `SELECT max(${key[0]}) AS number FROM ${table} WHERE workspace_id = ?`,
    [workspaceId],
  );
  let low = 0;
  let high = Number(end?.number ?? 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await tx.sql.get<{ number: number; at: number }>(
      `SELECT ${key[0]} AS number, ${time} AS at FROM ${table}
       WHERE workspace_id = ? AND ${key[0]} > ? ORDER BY ${key[0]} LIMIT 1`,
      [workspaceId, middle],
    );
    if (next && next.at < before) low = next.number;
    else high = middle;
  }
  return low;
}
