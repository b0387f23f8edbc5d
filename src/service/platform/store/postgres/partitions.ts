import { cutoffOf, type NumberedLog, periodOf } from '../retained-logs.ts';
import { LOG_TABLES } from '../retention/log-tables.ts';
import { ConstraintViolation, type Partitions, type Sql, type Store, StoreUnavailable } from '../store.ts';
import { dropPartition } from './drop-partition.ts';
import { SPAN_CHECK } from './errors.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long a change may wait for the table, in ms: statements that come later wait behind it. A change that does not get
 * it, as while pg_dump reads the table, is made later.
 */
const LOCK_MS = 200;
/** How long the check of the partition for all other rows may take, which those who insert into it wait for. */
const ATTACH_MS = 3_000;
/** A table up to this size is read under the lock, in a fraction of a second. */
const SMALL_BYTES = 32 * 1024 * 1024;
/** Rows of a large table that becomes the first partition end so far ahead, and at least so far once it becomes one. */
const FIRST_MS = 30 * DAY_MS;
const FIRST_LEAST_MS = 7 * DAY_MS;
/** Partitions exist for at least so long ahead, and for so many periods. */
const AHEAD_MS = 12 * HOUR_MS;
const AHEAD = 3;

/** A partition of a log: rows with a time in [`from`, `to`), Unix ms; null for that of all other rows. */
interface Partition {
  readonly name: string;
  readonly span: { readonly from: number; readonly to: number } | null;
}

/** A statement that may take hours: outside of a transaction, without timeouts. */
type Alone = (statement: string) => Promise<void>;

/**
 * Keeps the logs in partitions by time, so that old rows are dropped and not deleted one by one. A table is divided when
 * its retention is first set: it becomes the first partition as it is, without being rewritten. Each step is one short
 * transaction, and a run that was interrupted continues with the next one.
 *
 * The partitions have the indexes and keys, the divided table has none: a unique key of it would have to include the
 * time. Numbers of rows and identifiers of decisions are unique without it (event-heads.ts, newId).
 */
export function partitionsOf(write: Store['write'], alone: Alone): Partitions {
  /** Runs one step. Resolves to false if it did not get the table or would take too long. */
  const step = async (work: (sql: Sql, now: number) => Promise<unknown>): Promise<boolean> => {
    try {
      await write(async ({ sql, now }) => {
        await sql.run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
        await work(sql, now);
      });
      return true;
    } catch (error) {
      if (isPutOff(error)) return false;
      throw error;
    }
  };

  /** Makes a table the first partition of a divided one. Resolves to what stands in the way. */
  const divide = async (log: NumberedLog, keptMs: number): Promise<string | undefined> => {
    const { table, time } = LOG_TABLES[log];
    const found = await write(async ({ sql, now }) => ({
      now,
      bytes: await sizeOf(sql, table),
      check: await checkOf(sql, table),
    }));
    const period = periodOf(keptMs);
    const { check, now } = found;
    if (!check && found.bytes <= SMALL_BYTES) {
      const end = after(now, period);
      const divided = await step((sql) => divideAt(sql, log, end)).catch((error) => {
        if (error instanceof ConstraintViolation) return false;
        throw error;
      });
      return divided ? undefined : `${table} is in use, or has rows of a time that is still to come`;
    }
    // A row from after the end of the check would be refused: the check goes long before.
    if (check && check.end < now + FIRST_LEAST_MS) {
      await step((sql) => sql.run(`ALTER TABLE ${table} DROP CONSTRAINT ${table}${SPAN_CHECK}`));
      return `${table} was in use until its check came to its end, which starts again`;
    }
    if (!check) {
      const end = after(now + FIRST_MS, period);
      const added = await step((sql) =>
        sql.run(
          `ALTER TABLE ${table} ADD CONSTRAINT ${table}${SPAN_CHECK} CHECK (${time} < ${end}) NOT VALID`,
        ),
      );
      if (!added) return `${table} is in use`;
    }
    if (!check?.valid)
      try {
        await alone(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}${SPAN_CHECK}`);
      } catch (error) {
        if (isPutOff(error)) return `${table} is in use`;
        if (codeOf(error) !== '23514') throw error;
        await step((sql) => sql.run(`ALTER TABLE ${table} DROP CONSTRAINT ${table}${SPAN_CHECK}`));
        return `${table} has rows of a time that is still to come`;
      }
    const done = await step(async (sql) => {
      const end = (await checkOf(sql, table))!.end;
      await divideAt(sql, log, end);
    });
    return done ? undefined : `${table} is in use`;
  };

  /** Makes the partitions of the coming time. */
  const extend = async (log: NumberedLog, keptMs: number | null): Promise<string | undefined> => {
    const { table } = LOG_TABLES[log];
    const period = periodOf(keptMs);
    const { end, now } = await write(async ({ sql, now }) => ({ now, end: endOf(await list(sql, table)) }));
    const wanted = now + Math.max(keptMs === null ? 0 : AHEAD * period, AHEAD_MS);
    // The rows since an end that has passed are in the partition for all other rows.
    for (let from = end > now ? end : after(now, period); from < wanted; ) {
      const to = after(from, period);
      const made = await step((sql) => addPartition(sql, table, from, to)).catch((error) => {
        // Rows of that time are in the partition for all other rows, where they stay.
        if (error instanceof ConstraintViolation) return true;
        throw error;
      });
      if (!made) return `${table}_other is in use or large: rows go there`;
      from = to;
    }
    return undefined;
  };

  /** Drops the partitions from before the kept time, each with what it takes along. */
  const drop = async (log: NumberedLog, keptMs: number | null): Promise<string | undefined> => {
    const { table } = LOG_TABLES[log];
    const before = await write(async ({ sql, now }) => {
      const cutoff = cutoffOf(now, keptMs);
      if (cutoff === null) return [];
      return (await list(sql, table)).filter(({ span }) => span !== null && span.to <= cutoff);
    });
    for (const { name, span } of before) {
      const dropped = await step((sql) => dropPartition(sql, log, name, span!.to));
      if (!dropped) return `${name} is in use`;
    }
    return undefined;
  };

  /** Divides the table of a log and brings its partitions up to date. Resolves to what stands in the way. */
  const keep = async (log: NumberedLog, keptMs: number | null): Promise<string | undefined> => {
    const { table } = LOG_TABLES[log];
    if (!(await write(({ sql }) => isDivided(sql, table)))) {
      if (keptMs === null) return undefined;
      const obstacle = await divide(log, keptMs);
      if (obstacle) return obstacle;
    }
    const dropping = await drop(log, keptMs);
    return (await extend(log, keptMs)) ?? dropping;
  };

  return {
    keep: (log, keptMs) =>
      keep(log, keptMs).catch((error) => {
        if (!isForbidden(error)) throw error;
        return `${error.message}: the user of --database needs to own the tables`;
      }),

    async byRow({ sql }, log, keptMs) {
      const { table } = LOG_TABLES[log];
      if (!(await isDivided(sql, table))) return [table];
      const period = periodOf(keptMs);
      return (await list(sql, table))
        .filter(({ span }) => span === null || span.to - span.from > period)
        .map(({ name }) => name);
    },
  };
}

/** A statement that the user of the database may not run (SQLSTATE insufficient_privilege). */
const isForbidden = (error: { code?: unknown }) => error.code === '42501';

/** A change that did not get its lock or took too long, and is made later. */
function isPutOff(error: unknown): boolean {
  return error instanceof StoreUnavailable && ['55P03', '57014'].includes(codeOf(error));
}

const codeOf = (error: unknown) => String(((error as Error).cause as { code?: unknown } | undefined)?.code);

/** The first boundary of periods after a time. */
const after = (time: number, period: number) => (Math.floor(time / period) + 1) * period;

/** Where the rows end that have a partition for their time. */
const endOf = (partitions: readonly Partition[]) =>
  Math.max(0, ...partitions.map(({ span }) => span?.to ?? 0));

/** The size in bytes of the rows of a table, without indexes and long values. */
async function sizeOf(sql: Sql, table: string): Promise<number> {
  const size = sql.dialect.distributed ? 'citus_relation_size' : 'pg_relation_size';
  return Number((await sql.get<{ bytes: number }>(`SELECT ${size}('${table}') AS bytes`))!.bytes);
}

async function isDivided(sql: Sql, table: string): Promise<boolean> {
  const row = await sql.get<{ kind: string }>(
    'SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass(?)',
    [table],
  );
  return row?.kind === 'p';
}

/** The partitions of a table; for the first, `from` is 0. */
async function list(sql: Sql, table: string): Promise<Partition[]> {
  const rows = await sql.all<{ name: string; bound: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass(?) ORDER BY c.relname`,
    [table],
  );
  return rows.map(({ name, bound }) => {
    const [, from, to] = /FROM \((?:'(\d+)'|MINVALUE)\) TO \('(\d+)'\)/.exec(bound) ?? [];
    return { name, span: to === undefined ? null : { from: Number(from ?? 0), to: Number(to) } };
  });
}

/** The check that all rows are from before a time. */
async function checkOf(sql: Sql, table: string): Promise<{ end: number; valid: boolean } | undefined> {
  const row = await sql.get<{ text: string; valid: boolean }>(
    `SELECT pg_get_constraintdef(oid) AS text, convalidated AS valid FROM pg_constraint
     WHERE conrelid = to_regclass(?) AND conname = ?`,
    [table, `${table}${SPAN_CHECK}`],
  );
  return row && { end: Number(/\d{5,}/.exec(row.text)![0]), valid: row.valid };
}

/** Makes a table the first partition of one with its name: rows from `end` on go to other partitions. */
async function divideAt(sql: Sql, log: NumberedLog, end: number): Promise<void> {
  const { table, time } = LOG_TABLES[log];
  const first = `${table}_first`;
  await sql.run(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  await sql.run(`ALTER TABLE ${table} RENAME TO ${first}`);
  await sql.run(
    `CREATE TABLE ${table} (LIKE ${first} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (${time})`,
  );
  if (sql.dialect.distributed)
    await sql.run(`SELECT create_distributed_table('${table}', 'workspace_id', colocate_with => '${first}')`);
  await sql.run(`ALTER TABLE ${table} ATTACH PARTITION ${first} FOR VALUES FROM (MINVALUE) TO (${end})`);
  await sql.run(`ALTER TABLE ${first} DROP CONSTRAINT IF EXISTS ${table}${SPAN_CHECK}`);
  await sql.run(`CREATE TABLE ${table}_other (LIKE ${first} INCLUDING ALL)`);
  await sql.run(`ALTER TABLE ${table} ATTACH PARTITION ${table}_other DEFAULT`);
}

async function addPartition(sql: Sql, table: string, from: number, to: number): Promise<void> {
  const name = `${table}_${from}`;
  await sql.run(`SET LOCAL statement_timeout = ${ATTACH_MS}`);
  await sql.run(`CREATE TABLE ${name} (LIKE ${table}_other INCLUDING ALL)`);
  await sql.run(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
}
