import { hash } from 'node:crypto';
import { marks } from '../platform/store/rows.ts';
import type { Sql, SqlValue } from '../platform/store/store.ts';
import { pagesOf, type Reading, type Row } from './rows.ts';
import type { CopiedTable, Value } from './tables.ts';

/**
 * The rows of a table that a workspace has: how many, and the exclusive or of hashes, whatever their order: of each row, or,
 * where numbers are their keys, of each BLOCK of these, which costs a third.
 */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
}

/** Numbers of a block. */
export const BLOCK = 256;
/** What stands behind each value in the text of a row, and for none: signs that divide data (ISO 6429), which texts do not hold. */
const END = '\x1f';
const NONE = '\x1e';

/** Written when the copy ends (copy.ts), and not compared. */
const OWN_OF_A_STORE: Readonly<Record<string, readonly string[]>> = {
  workspace: ['frozen_at'],
  // Requests that are refused do not count, but one may have ended meanwhile.
  api_key: ['last_used_at'],
};

const isSkipped = ({ name }: CopiedTable, column: string) => (OWN_OF_A_STORE[name] ?? []).includes(column);

/** The 8 bytes of a double (IEEE 754): the engines write it in different digits. */
function hexOf(value: number): string {
  const bytes = Buffer.allocUnsafe(8);
  // There is only one zero.
  bytes.writeDoubleBE(value + 0);
  return bytes.toString('hex');
}

/** Counts and hashes rows as they come, those with numbers in their order. */
export class Digesting {
  readonly #isSkipped: readonly boolean[];
  readonly #isReal: readonly boolean[];
  readonly #sum = new Uint32Array(4);
  /** Where in a row its number is; -1 without one. */
  readonly #number: number;
  #block = -1;
  /** The rows of the block so far. */
  #text = '';
  #rows = 0;

  constructor(table: CopiedTable) {
    this.#isSkipped = table.columns.map(({ name }) => isSkipped(table, name));
    this.#isReal = table.columns.map(({ type }) => type === 'real');
    this.#number = isNumbered(table) ? table.columns.findIndex(({ name }) => name === table.key[0]) : -1;
  }

  add(row: Row): void {
    this.#rows++;
    if (this.#number === -1) {
      this.#mix(this.hash(row));
      return;
    }
    const block = blockOf(row[this.#number] as number);
    if (block !== this.#block) this.#endBlock();
    this.#block = block;
    this.#text += this.#textOf(row);
  }

  /** Identifies what a row holds: a character a byte. PostgreSQL makes the same of it (`hashOf`). */
  hash(row: Row): string {
    return hash('sha256', this.#textOf(row), 'binary');
  }

  get value(): Digest {
    this.#endBlock();
    return { rows: this.#rows, digest: Buffer.from(this.#sum.buffer).toString('hex') };
  }

  #endBlock(): void {
    if (this.#text !== '') this.#mix(hash('sha256', this.#text, 'binary'));
    this.#text = '';
  }

  #textOf(row: Row): string {
    let text = '';
    for (let i = 0; i < row.length; i++) {
      const value = this.#isSkipped[i] ? null : row[i]!;
      text += (value === null ? NONE : this.#isReal[i] ? hexOf(value as number) : value) + END;
    }
    return text;
  }

  #mix(own: string): void {
    for (let i = 0; i < this.#sum.length; i++)
      this.#sum[i]! ^=
        own.charCodeAt(4 * i) |
        (own.charCodeAt(4 * i + 1) << 8) |
        (own.charCodeAt(4 * i + 2) << 16) |
        (own.charCodeAt(4 * i + 3) << 24);
  }
}

/** The digest of the rows of a table that a workspace has. */
export async function digestOf(
  reading: Reading,
  table: CopiedTable,
  workspaceId: string,
  onRows: (count: number) => void = () => {},
): Promise<Digest> {
  if ((await reading(async (tx) => tx.sql.dialect.name)) === 'postgres')
    return digestIn(reading, table, workspaceId, onRows);
  const digesting = new Digesting(table);
  for await (const page of pagesOf(reading, table, workspaceId)) {
    for (const row of page) digesting.add(row);
    onRows(page.length);
  }
  return digesting.value;
}

/** Rows that PostgreSQL hashes in one statement, or numbers. */
const HASHED = 20 * BLOCK;

/** Like `digestOf`, where the database itself hashes: rows that only are compared need not leave it. */
async function digestIn(
  reading: Reading,
  table: CopiedTable,
  workspaceId: string,
  onRows: (count: number) => void,
): Promise<Digest> {
  const sum = new RangeSum();
  const add = (found: RangeDigest) => {
    sum.add(found);
    onRows(found.rows);
  };
  const { name, key } = table;
  if (isNumbered(table))
    for (let from = 0; ; ) {
      // There may be gaps of any length.
      const next = await reading(({ sql }) => endOf('min', sql, table, workspaceId, from));
      if (next === undefined) return sum.value;
      const start = blockOf(next);
      from = start + HASHED;
      add(await reading(({ sql }) => numbersIn(sql, table, workspaceId, start, from)));
    }
  const keys = key.join(', ');
  for (let last: readonly Value[] | undefined; ; ) {
    const after = last ? ` AND (${keys}) > (${marks(key.length)})` : '';
    const params = [workspaceId, ...(last ?? [])];
    const { end, found } = await reading(async ({ sql }) => {
      const [bound] =
        key.length === 0
          ? []
          : await sql.all<Record<string, SqlValue>>(
              `SELECT ${keys} FROM ${name} WHERE workspace_id = ?${after} ORDER BY ${keys} LIMIT 1 OFFSET ${HASHED - 1}`,
              params,
            );
      const end = bound && key.map((column) => bound[column] as Value);
      const upTo = end ? ` AND (${keys}) <= (${marks(key.length)})` : '';
      const row = await sql.get<RangeRow>(
        `SELECT count(*) AS rows, CAST(bit_xor(${hashOf(textIn(table))}) AS text) AS digest
         FROM ${name} WHERE workspace_id = ?${after}${upTo}`,
        [...params, ...(end ?? [])],
      );
      return { end, found: rangeOf(row!) };
    });
    add(found);
    if (!end) return sum.value;
    last = end;
  }
}

/** What some rows of a table have, read in PostgreSQL. */
interface RangeDigest {
  readonly rows: number;
  readonly sum: bigint;
}

interface RangeRow {
  readonly rows: SqlValue;
  readonly digest: string | null;
}

const rangeOf = ({ rows, digest }: RangeRow): RangeDigest => ({
  rows: Number(rows),
  sum: BigInt(`0b${digest ?? '0'}`),
});

/** Adds the digests of ranges up. */
export class RangeSum {
  #rows = 0;
  #sum = 0n;

  add({ rows, sum }: RangeDigest): void {
    this.#rows += rows;
    this.#sum ^= sum;
  }

  get value(): Digest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(32, '0') };
  }
}

/** True where the key of a row is a number. */
export const isNumbered = ({ key, columns }: CopiedTable): boolean =>
  key.length === 1 && columns.some((column) => column.name === key[0] && column.type === 'integer');

/** The smallest or largest number of the rows of a workspace, of those with at least `from`; undefined without one. */
export async function endOf(
  which: 'min' | 'max',
  sql: Sql,
  { name, key }: CopiedTable,
  workspaceId: string,
  from = 0,
): Promise<number | undefined> {
  const row = await sql.get<{ found: SqlValue }>(
    `SELECT ${which}(${key[0]}) AS found FROM ${name} WHERE workspace_id = ? AND ${key[0]} >= ?`,
    [workspaceId, from],
  );
  return row?.found == null ? undefined : Number(row.found);
}

/** The number with which the block of a number begins. */
export const blockOf = (number: number): number => number - (number % BLOCK);

/** Counts and hashes in PostgreSQL rows with numbers from `from` to before `until`, which both begin a block. */
export async function numbersIn(
  sql: Sql,
  table: CopiedTable,
  workspaceId: string,
  from: number,
  until: number,
): Promise<RangeDigest> {
  const number = table.key[0]!;
  const row = await sql.get<RangeRow>(
    `SELECT sum(rows) AS rows, CAST(bit_xor(hash) AS text) AS digest FROM
       (SELECT count(*) AS rows, ${hashOf(`string_agg(${textIn(table)}, '' ORDER BY ${number})`)} AS hash FROM ${table.name}
        WHERE workspace_id = ? AND ${number} >= ? AND ${number} < ? GROUP BY ${number} / ${BLOCK}) AS b`,
    [workspaceId, from, until],
  );
  return rangeOf(row!);
}

/** SQL expression for the first 128 bits of the hash of a text. */
const hashOf = (text: string) =>
  `CAST('x' || encode(substr(sha256(convert_to(${text}, 'UTF8')), 1, 16), 'hex') AS bit(128))`;

/** SQL expression for the text of a row. */
function textIn(table: CopiedTable): string {
  const [end, none] = [END, NONE].map((sign) => `chr(${sign.charCodeAt(0)})`);
  const values = table.columns.map(({ name, type }) => {
    if (isSkipped(table, name)) return none;
    const text = {
      text: name,
      integer: `CAST(${name} AS text)`,
      real: `encode(float8send(${name} + 0), 'hex')`,
      bytes: `upper(encode(${name}, 'hex'))`,
    }[type];
    return `COALESCE(${text}, ${none})`;
  });
  return `${values.join(` || ${end} || `)} || ${end}`;
}
