import { hash } from 'node:crypto';
import { marks } from '../platform/store/rows.ts';
import type { Sql, SqlValue } from '../platform/store/store.ts';
import { pagesOf, type Reading, type Row } from './rows.ts';
import type { CopiedTable, Value } from './tables.ts';

/** The rows of a table that a workspace has: how many, and the exclusive or of their hashes, whatever their order. */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
}

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

/** Counts and hashes rows as they come. */
export class Digesting {
  readonly #isSkipped: readonly boolean[];
  readonly #isNumber: readonly boolean[];
  readonly #isReal: readonly boolean[];
  readonly #sum = new Uint32Array(4);
  #rows = 0;

  constructor(table: CopiedTable) {
    this.#isSkipped = table.columns.map(({ name }) => isSkipped(table, name));
    this.#isNumber = table.columns.map(({ type }) => type === 'integer' || type === 'real');
    this.#isReal = table.columns.map(({ type }) => type === 'real');
  }

  add(row: Row): void {
    this.#rows++;
    const own = this.hash(row);
    for (let i = 0; i < this.#sum.length; i++)
      this.#sum[i]! ^=
        own.charCodeAt(4 * i) |
        (own.charCodeAt(4 * i + 1) << 8) |
        (own.charCodeAt(4 * i + 2) << 16) |
        (own.charCodeAt(4 * i + 3) << 24);
  }

  /** Identifies what a row holds: a character a byte. PostgreSQL makes the same of it (`hashIn`). */
  hash(row: Row): string {
    // Each value says where it ends, so that no two rows have the same text. That of a number ends with a semicolon.
    let text = '';
    for (let i = 0; i < row.length; i++) {
      const value = this.#isSkipped[i] ? null : row[i]!;
      if (this.#isNumber[i])
        text += value === null ? ';' : `${this.#isReal[i] ? hexOf(value as number) : value};`;
      else text += value === null ? ':' : `${Buffer.byteLength(value as string)}:${value}`;
    }
    return hash('sha256', text, 'binary');
  }

  get value(): Digest {
    return { rows: this.#rows, digest: Buffer.from(this.#sum.buffer).toString('hex') };
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

/** Rows that PostgreSQL hashes in one statement. */
const HASHED = 5000;

/** Like `digestOf`, where the database itself hashes: rows that only are compared need not leave it. */
async function digestIn(
  reading: Reading,
  table: CopiedTable,
  workspaceId: string,
  onRows: (count: number) => void,
): Promise<Digest> {
  const { name, key } = table;
  const keys = key.join(', ');
  const sum = new RangeSum();
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
      return { end, found: await rangeIn(sql, table, workspaceId, last, end) };
    });
    sum.add(found);
    onRows(found.rows);
    if (!end) return sum.value;
    last = end;
  }
}

/** What some rows of a table have, read in PostgreSQL. */
interface RangeDigest {
  readonly rows: number;
  readonly sum: bigint;
}

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

/** Counts and hashes rows in PostgreSQL: those with keys after `after` up to `end`. */
export async function rangeIn(
  sql: Sql,
  table: CopiedTable,
  workspaceId: string,
  after: readonly Value[] | undefined,
  end: readonly Value[] | undefined,
): Promise<RangeDigest> {
  const bound = (operator: string, key: readonly Value[] | undefined) =>
    key ? ` AND (${table.key.join(', ')}) ${operator} (${marks(key.length)})` : '';
  const found = await sql.get<{ rows: SqlValue; digest: string | null }>(
    `SELECT count(*) AS rows, CAST(bit_xor(${hashIn(table)}) AS text) AS digest
     FROM ${table.name} WHERE workspace_id = ?${bound('>', after)}${bound('<=', end)}`,
    [workspaceId, ...(after ?? []), ...(end ?? [])],
  );
  return { rows: Number(found!.rows), sum: BigInt(`0b${found!.digest ?? '0'}`) };
}

/** SQL expression for the first 128 bits of what `Digesting.hash` makes of a row. */
function hashIn(table: CopiedTable): string {
  const values = table.columns.map(({ name, type }) => {
    if (type === 'integer' || type === 'real') {
      const text = type === 'real' ? `encode(float8send(${name} + 0), 'hex')` : name;
      return isSkipped(table, name) ? "';'" : `${text}, ';'`;
    }
    const text = type === 'bytes' ? `upper(encode(${name}, 'hex'))` : name;
    return isSkipped(table, name) ? "':'" : `octet_length(${text}), ':', ${text}`;
  });
  // `concat` leaves out what is null.
  const row = `concat(${values.join(', ')})`;
  return `CAST('x' || encode(substr(sha256(convert_to(${row}, 'UTF8')), 1, 16), 'hex') AS bit(128))`;
}
