import Database from 'libsql';
import type { Reply, Served } from '../process/served.ts';

/**
 * The result of a batch: accepted (2xx), refused (any other answer), or unknown (no answer).
 */
export type Fate = 'accepted' | 'refused' | 'unknown';

interface Entry {
  readonly size: number;
  fate: Fate;
}

/** Sends batches of events and records the answers, to compare them with the database. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #name: string;
  #next = 0;

  constructor(name = 'batch') {
    this.#name = name;
  }

  /** Sends a new batch with a new idempotency key. */
  async send(served: Pick<Served, 'send'>, size: number): Promise<Reply> {
    const id = `${this.#name}-${this.#next++}`;
    this.#entries.set(id, { size, fate: 'unknown' });
    return this.#post(served, id, size);
  }

  /** Resends batches that were refused or are unknown, with the same key. Resolves with the answers. */
  async again(served: Pick<Served, 'send'>, most = Number.POSITIVE_INFINITY): Promise<Reply[]> {
    const open = [...this.#entries].filter(([, { fate }]) => fate !== 'accepted').slice(0, most);
    return Promise.all(open.map(([id, { size }]) => this.#post(served, id, size)));
  }

  /** Resends up to `most` accepted batches. Each must be answered as a repetition. */
  async repeat(served: Pick<Served, 'send'>, most: number): Promise<(string | null)[]> {
    const taken = [...this.#entries].filter(([, { fate }]) => fate === 'accepted').slice(-most);
    const replies = await Promise.all(taken.map(([id, { size }]) => this.#post(served, id, size)));
    return replies.map((reply) => reply?.headers.get('idempotent-replayed') ?? null);
  }

  count(fate: Fate): number {
    return [...this.#entries.values()].filter((entry) => entry.fate === fate).length;
  }

  get events(): number {
    return [...this.#entries.values()].reduce(
      (sum, { fate, size }) => sum + (fate === 'accepted' ? size : 0),
      0,
    );
  }

  /**
   * Compares the batches with the database and returns the differences as text. Each accepted batch must be stored
   * completely and exactly once, each other batch completely or not at all (`strict`: refused batches not at all).
   */
  faults(database: string, { strict = true } = {}): string[] {
    const db = new Database(database);
    const rows = db
      .prepare(
        'SELECT user_id AS id, count(*) AS total, count(DISTINCT properties) AS different FROM event GROUP BY user_id',
      )
      .all() as { id: string; total: number; different: number }[];
    const check = (db.prepare('PRAGMA integrity_check').all()[0] as { integrity_check: string })
      .integrity_check;
    db.close();
    const stored = new Map(rows.map((row) => [row.id, row]));
    const faults = check === 'ok' ? [] : [check];
    for (const [id, { size, fate }] of this.#entries) {
      const { total = 0, different = 0 } = stored.get(id) ?? {};
      stored.delete(id);
      const whole = total === size && different === size;
      if (whole && (fate !== 'refused' || !strict)) continue;
      if (total === 0 && fate !== 'accepted') continue;
      faults.push(`${id}: ${fate}, ${size} events, ${total} stored of which ${different} differ`);
    }
    for (const id of stored.keys()) faults.push(`${id} was never sent`);
    return faults;
  }

  async #post(served: Pick<Served, 'send'>, id: string, size: number): Promise<Reply> {
    const events = Array.from({ length: size }, (_, number) => ({
      userId: id,
      event: 'sent',
      timestamp: '2026-01-01T00:00:00Z',
      properties: { number, filler: 'some text that takes room' },
    }));
    const reply = await served.send('/v1/events', { events }, { 'idempotency-key': id });
    const entry = this.#entries.get(id)!;
    if (reply === undefined) return reply;
    if (reply.status >= 200 && reply.status < 300) entry.fate = 'accepted';
    else if (entry.fate !== 'accepted') entry.fate = 'refused';
    return reply;
  }
}
