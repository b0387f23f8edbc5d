import type { Tx } from '../store.ts';

/** Writes of a process after which it first looks for tables that have grown. It looks again at each doubling. */
const FIRST_LOOK = 64;

/** Changed rows below which a table is too small for a plan to matter. */
const MIN_CHANGES = 100;

/**
 * Keeps the statistics of tables up to date while they grow from nothing. A connection keeps the plan that a statement
 * got while its tables were empty until their statistics change, and autovacuum looks once a minute. From the first
 * thousands of rows on autovacuum suffices, so that the looks become rare with the number of writes.
 */
export class Statistics {
  readonly #write: (work: (tx: Tx) => Promise<void>) => Promise<void>;
  #writes = 0;
  #nextLook = FIRST_LOOK;
  #looking: Promise<void> = Promise.resolve();

  /** `write` runs work in a transaction. */
  constructor(write: (work: (tx: Tx) => Promise<void>) => Promise<void>) {
    this.#write = write;
  }

  /** Takes note of a write, and starts a look if it is time. */
  noteWrite(): void {
    if (++this.#writes < this.#nextLook) return;
    this.#nextLook *= 2;
    this.#looking = this.#looking
      .then(() => this.#write(analyzeGrown))
      .catch(() => {
        // Statistics are a help only. The next look tries again.
      });
  }

  /** Resolves when no look is running. */
  idle(): Promise<void> {
    return this.#looking;
  }
}

/** Updates the statistics of the tables that have at least doubled, unless another node does so now. */
async function analyzeGrown({ sql }: Tx): Promise<void> {
  const lock = await sql.get<{ won: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('svc statistics', 0)) AS won`,
  );
  if (!lock?.won) return;
  const grown = await sql.all<{ name: string }>(
    `SELECT quote_ident(s.relname) AS name FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
     WHERE c.relnamespace = current_schema()::regnamespace
       AND s.n_mod_since_analyze > ${MIN_CHANGES} + greatest(c.reltuples, 0) ORDER BY 1`,
  );
  for (const { name } of grown) await sql.run(`ANALYZE (SKIP_LOCKED) ${name}`);
}
