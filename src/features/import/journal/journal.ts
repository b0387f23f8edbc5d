import type Database from 'libsql';
import type { Batch, Checkpoint } from '../batch/batch.ts';
import type { Contents } from '../read/content.ts';
import { type AmbiguousBatch, ambiguousBefore, batchRows, lastSeq, sortBatches } from './journal-batches.ts';
import { contentsOf, dropAppended, noteFinished } from './journal-content.ts';
import { toJournalError } from './journal-error.ts';
import { openJournalFile, REJECTED, SENT, SETTLED, TOUCHED, WITHDRAWN } from './journal-file.ts';

export interface JournalState {
  /** Random; part of every idempotency key. */
  readonly id: string;
  readonly finished: boolean;
  /** What was imported and how, as JSON text; compared when the import is resumed. */
  readonly options: string;
  /** State of the inputs when the import began, as JSON text. */
  readonly inputs: string;
  readonly rejectsPath: string;
  readonly rejectsLength: number;
  /** Undefined where the import never finished. */
  readonly contents?: Contents | undefined;
}

/** What an import that finished goes on with. */
export type Reopened = Pick<JournalState, 'inputs' | 'rejectsPath' | 'rejectsLength'>;

/** How long a change may wait for the disk, in milliseconds; see Journal. */
const SYNC_EVERY_MS = 1000;

interface Change {
  readonly apply: () => void;
  /** Unix milliseconds; undefined for one that must be on the disk before anything goes on. */
  readonly now: number | undefined;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * What an import knows of itself, on the disk: a small SQLite file that one process holds by SQLite's own lock, so
 * that it is free again the moment the process ends, however it ends. Changes that come together are committed
 * together.
 *
 * A commit survives the death of the process at once, and a power cut from the next sync on: the first and the last
 * one are synced, and otherwise one a second, because a sync stops the only thread for as long as the disk takes. A
 * file is cut the same way again, so what a power cut takes from the journal is sent again under the same keys. That
 * does not hold for a pipe, which is also cut by time: there every commit is synced (`everySync`).
 */
export class Journal {
  readonly path: string;
  private readonly db: Database.Database;
  private readonly insert: Database.Statement;
  private readonly mark: Database.Statement;
  private readonly again: Database.Statement;
  private readonly extend: Database.Statement;
  /** Sync every commit. */
  everySync = false;
  private changes: Change[] = [];
  private syncedAt = Number.NEGATIVE_INFINITY;
  private syncing = true;
  private seq = 0;
  private reopened: Reopened | undefined;
  private readonly seqs = new Map<string, number>();

  private constructor(path: string, db: Database.Database) {
    this.path = path;
    this.db = db;
    this.insert = db.prepare('INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.mark = db.prepare('UPDATE batch SET state = ?, sent_at = ? WHERE seq = ?');
    // A batch in doubt stays so since it was first sent: that is when the service may have seen its key.
    this.again = db.prepare(
      `UPDATE batch SET sent_at = CASE state WHEN ${SENT} THEN sent_at ELSE ? END, state = ${SENT} WHERE seq = ?`,
    );
    this.extend = db.prepare('UPDATE import SET rejects_length = ?');
    this.seq = lastSeq(db);
  }

  /**
   * Opens or makes the file and takes its lock. Throws a JournalError, also for one that lost its end or all it held:
   * SQLite would go on with it, and what was sent would be sent again. `discard`: its contents are not needed.
   */
  static open(path: string, { discard = false } = {}): Journal {
    const db = openJournalFile(path, discard);
    try {
      return new Journal(path, db);
    } catch (error) {
      throw toJournalError(path, error);
    }
  }

  /** The import on record; undefined in a new file. */
  state(): JournalState | undefined {
    return this.guard(() => {
      const row = this.db.prepare('SELECT * FROM import').get() as Record<string, unknown> | undefined;
      if (!row) return undefined;
      return {
        id: String(row.id),
        finished: row.finished === 1,
        options: String(row.options),
        inputs: String(row.inputs),
        rejectsPath: String(row.rejects_path),
        rejectsLength: Number(row.rejects_length),
        contents: contentsOf(this.db, String(row.id)),
      };
    });
  }

  /** Some batch was taken by the service or may have been. */
  get touched(): boolean {
    return this.has(TOUCHED);
  }

  /** Some batch had its end, or may have had. */
  get begun(): boolean {
    return this.has(`state <> ${WITHDRAWN}`);
  }

  private has(condition: string): boolean {
    const sql = `SELECT 1 AS found FROM batch WHERE ${condition} LIMIT 1`;
    return this.guard(() => this.db.prepare(sql).get() !== undefined);
  }

  /** When some batch last was sent or had its end, in Unix milliseconds. */
  get lastAt(): number {
    return this.guard(() => {
      const row = this.db.prepare('SELECT max(sent_at) AS last FROM batch').get() as { last: number | null };
      return row.last ?? 0;
    });
  }

  /** Forgets everything and begins an import. */
  begin(state: Omit<JournalState, 'finished' | 'rejectsLength'>): void {
    this.guard(() => {
      this.db.exec('BEGIN IMMEDIATE; DELETE FROM batch; DELETE FROM import; DELETE FROM content');
      this.db
        .prepare('INSERT INTO import VALUES (1, ?, 0, ?, ?, ?, 0)')
        .run(state.id, state.options, state.inputs, state.rejectsPath);
      this.db.exec('COMMIT');
      this.seq = 0;
    });
  }

  /**
   * An import that had finished went on with appended records of which none was taken, nor may have been, nor rejected:
   * it is as it was before them. Returns whether that is so.
   */
  restoreFinished(contents: Contents): boolean {
    return this.guard(() => dropAppended(this.db, contents));
  }

  /** The import, which had finished, is unfinished again from the next batch on that is sent. */
  reopen(state: Reopened): void {
    this.reopened = state;
  }

  /** The batches of earlier runs in the order in which they were cut, one a call; memory holds a page of them. */
  checkpoints(): () => Checkpoint | undefined {
    this.seq = this.guard(() => sortBatches(this.db));
    const next = batchRows(this.db, this.seq);
    return () => {
      const row = this.guard(next);
      if (!row) return undefined;
      const acknowledged = row.state === SETTLED || row.state === REJECTED;
      if (!acknowledged) this.seqs.set(placeOf(row), row.seq);
      const { file, start, finish, digest } = row;
      return { file, start, end: finish, digest, acknowledged, ambiguous: row.state === SENT };
    };
  }

  /** Batches of earlier runs that are in doubt since before `time`. */
  ambiguousBefore(time: number): AmbiguousBatch[] {
    return this.guard(() => ambiguousBefore(this.db, time));
  }

  /** Notes that a batch is about to be sent; resolves once that is on the disk. */
  sending(batch: Batch, digest: string, now: number): Promise<void> {
    return this.change(() => {
      this.begunAgain();
      const place = placeOf(batch);
      const known = this.seqs.get(place);
      if (known !== undefined) {
        this.again.run(now, known);
        return;
      }
      const seq = ++this.seq;
      this.seqs.set(place, seq);
      const { file, start, end, firstLine, lastLine, records } = batch;
      this.insert.run(seq, file, start, end, firstLine, lastLine, records.count, digest, SENT, now);
    }, now);
  }

  /** Notes that a batch has its end, and how far the rejects file goes with it, if it grew. */
  settled(
    batch: Batch,
    now: number,
    { accepted, rejectsLength }: { accepted: boolean; rejectsLength: number | undefined },
  ): Promise<void> {
    return this.change(() => {
      this.mark.run(accepted ? SETTLED : REJECTED, now, this.release(batch));
      if (rejectsLength !== undefined) this.extend.run(rejectsLength);
    }, now);
  }

  /** Notes that a batch was surely not carried out. */
  withdrawn(batch: Batch, now: number): Promise<void> {
    return this.change(() => {
      this.mark.run(WITHDRAWN, now, this.release(batch));
    }, now);
  }

  /** All of the inputs has its end: their state, and what they hold, null where that is not known. */
  finish(inputs: string, contents: Contents): Promise<void> {
    return this.change(() => {
      noteFinished(this.db, inputs, contents);
    });
  }

  private begunAgain(): void {
    if (!this.reopened) return;
    const { inputs, rejectsPath, rejectsLength } = this.reopened;
    this.db
      .prepare('UPDATE import SET finished = 0, inputs = ?, rejects_path = ?, rejects_length = ?')
      .run(inputs, rejectsPath, rejectsLength);
    this.reopened = undefined;
  }

  /** Lets go of the file at once: closing alone waits until prepared statements are collected. */
  close(): void {
    try {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.db.exec('PRAGMA journal_mode = DELETE');
      this.db.exec('PRAGMA locking_mode = NORMAL');
      this.db.prepare('SELECT count(*) FROM import').get();
    } catch {
      // On a full disk the log stays beside the file, where the next run finds it.
    } finally {
      this.db.close();
    }
  }

  private release(batch: Batch): number {
    const place = placeOf(batch);
    const seq = this.seqs.get(place);
    if (seq === undefined) throw new Error(`batch ${place} was never noted as sent`);
    this.seqs.delete(place);
    return seq;
  }

  /** Group commit: whatever comes in one turn of the event loop shares one transaction. */
  private change(apply: () => void, now?: number): Promise<void> {
    return new Promise((done, failed) => {
      this.changes.push({ apply, now, done, failed });
      if (this.changes.length === 1) setImmediate(() => this.commit());
    });
  }

  private commit(): void {
    const changes = this.changes;
    this.changes = [];
    try {
      this.guard(() => {
        this.sync(changes);
        this.db.exec('BEGIN IMMEDIATE');
        for (const { apply } of changes) apply();
        this.db.exec('COMMIT');
      });
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      for (const { failed } of changes) failed(error);
      return;
    }
    for (const { done } of changes) done();
  }

  /** Decides whether the next commit waits for the disk. A sync takes with it what came before. */
  private sync(changes: readonly Change[]): void {
    const now = changes[0]?.now;
    const due = now === undefined || now - this.syncedAt >= SYNC_EVERY_MS;
    const wanted = this.everySync || due || changes.some((change) => change.now === undefined);
    if (wanted && now !== undefined) this.syncedAt = now;
    if (wanted === this.syncing) return;
    this.db.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    this.syncing = wanted;
  }

  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toJournalError(this.path, error);
    }
  }
}

function placeOf({ file, start }: { file: number; start: number }): string {
  return `${file}:${start}`;
}
