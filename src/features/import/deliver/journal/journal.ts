import { rmSync, writeFileSync } from 'node:fs';
import type Database from 'libsql';
import { newId } from '../../../../kit/id.ts';
import type { CellType, ColumnTypes } from '../../record/cell-type.ts';
import type { Contents } from '../../record/content.ts';
import type { Batch, Checkpoint } from '../batch.ts';
import { GroupCommit } from './group-commit.ts';
import {
  type AmbiguousBatch,
  ambiguousBefore,
  batchRows,
  dropAppended,
  lastSeq,
  sortBatches,
} from './journal-batches.ts';
import { toJournalError } from './journal-error.ts';
import { openJournalFile, REJECTED, runningFile, SENT, SETTLED, TOUCHED, WITHDRAWN } from './journal-file.ts';
import { beginUndo, endUndo, undoing } from './undone-runs.ts';

export interface JournalState {
  /** Random; part of every idempotency key. */
  readonly id: string;
  readonly finished: boolean;
  /** The options of the import as JSON text; compared when it is resumed. */
  readonly options: string;
  /** Fingerprints of the inputs when the import started, as JSON text. */
  readonly inputs: string;
  readonly rejectsPath: string;
  readonly rejectsLength: number;
  /** Undefined if the import never finished. */
  readonly contents?: Contents | undefined;
  /** The types of CSV columns. */
  readonly columnTypes: ColumnTypes;
}

/** The new state of a finished import that is resumed with appended records. */
export type Reopened = Pick<JournalState, 'inputs' | 'rejectsPath' | 'rejectsLength'>;

/**
 * Stores the progress of an import in a small SQLite file. One process holds it with SQLite's lock, which is released
 * when the process ends for any reason. Changes of the same turn of the event loop are committed together (GroupCommit).
 */
export class Journal {
  readonly path: string;
  private readonly db: Database.Database;
  private readonly insert: Database.Statement;
  private readonly mark: Database.Statement;
  private readonly resend: Database.Statement;
  private readonly begin: Database.Statement;
  private readonly count: Database.Statement;
  private readonly extend: Database.Statement;
  private readonly commits: GroupCommit;
  private seq = 0;
  /** A batch was sent: the file beside the journal names the run. */
  private begun = false;
  /** The run of this process; a new one for each. It is in the file once it sends a batch. */
  readonly run = newId('run');
  private reopened: Reopened | undefined;
  private readonly seqs = new Map<string, number>();

  private constructor(path: string, db: Database.Database) {
    this.path = path;
    this.db = db;
    this.insert = db.prepare('INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.mark = db.prepare('UPDATE batch SET state = ?, sent_at = ? WHERE seq = ?');
    // An ambiguous batch keeps the time when it was first sent, and the run: the service may have seen its key since then.
    this.resend = db.prepare(
      `UPDATE batch SET sent_at = CASE state WHEN ${SENT} THEN sent_at ELSE ? END,
         run = CASE state WHEN ${SENT} THEN run ELSE ? END, state = ${SENT} WHERE seq = ? RETURNING run`,
    );
    this.begin = db.prepare(
      'INSERT INTO run SELECT ?, ?, 0, 0, 0, contents FROM import WHERE true ON CONFLICT DO NOTHING',
    );
    this.count = db.prepare(
      `UPDATE run SET accepted = accepted + ?, kept = max(kept, ?) WHERE id = (SELECT run FROM batch WHERE seq = ?)`,
    );
    this.extend = db.prepare('UPDATE import SET rejects_length = ?');
    this.commits = new GroupCommit(db, path);
    this.seq = lastSeq(db);
  }

  /** Syncs every commit (GroupCommit). */
  set everySync(every: boolean) {
    this.commits.everySync = every;
  }

  /** Opens or creates the file and locks it. Throws a JournalError, also if the file is cut short. */
  static open(path: string): Journal {
    const db = openJournalFile(path);
    try {
      return new Journal(path, db);
    } catch (error) {
      throw toJournalError(path, error);
    }
  }

  /** Returns the import in the file; undefined in a new file. */
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
        columnTypes: new Map(JSON.parse(String(row.types)) as [string, CellType][]),
        contents: row.contents === null ? undefined : (JSON.parse(String(row.contents)) as Contents),
      };
    });
  }

  /** The service accepted a batch, or may have accepted it. */
  get touched(): boolean {
    return this.has(TOUCHED);
  }

  /** A batch was settled, or may have been. */
  get hasSettled(): boolean {
    return this.has(`state <> ${WITHDRAWN}`);
  }

  private has(condition: string): boolean {
    const sql = `SELECT 1 AS found FROM batch WHERE ${condition} LIMIT 1`;
    return this.guard(() => this.db.prepare(sql).get() !== undefined);
  }

  /** When a batch was last sent or settled, in Unix milliseconds. */
  get lastAt(): number {
    return this.guard(() => {
      const row = this.db.prepare('SELECT max(sent_at) AS last FROM batch').get() as { last: number | null };
      return row.last ?? 0;
    });
  }

  /** Deletes everything and starts an import. */
  start(state: Omit<JournalState, 'finished' | 'rejectsLength'>): void {
    this.guard(() => {
      const { id, options, inputs, rejectsPath, columnTypes } = state;
      this.db.exec('BEGIN IMMEDIATE; DELETE FROM batch; DELETE FROM import');
      this.db
        .prepare('INSERT INTO import VALUES (1, ?, 0, ?, ?, ?, 0, ?, NULL)')
        .run(id, options, inputs, rejectsPath, JSON.stringify([...columnTypes]));
      this.db.exec('COMMIT');
      this.seq = 0;
    });
  }

  /**
   * Restores a finished import that was resumed with appended records, if none of them was settled or is ambiguous.
   * Returns whether it was restored.
   */
  restoreFinished(contents: Contents): boolean {
    return !contents.includes(null) && this.guard(() => dropAppended(this.db));
  }

  /** Marks a finished import as unfinished as soon as the next batch is sent. */
  reopen(state: Reopened): void {
    this.reopened = state;
  }

  /** Returns an iterator function over the batches of earlier runs, in order, which reads them page by page. */
  checkpoints(): () => Checkpoint | undefined {
    this.seq = this.guard(() => sortBatches(this.db));
    const next = batchRows(this.db, this.seq);
    return () => {
      const row = this.guard(next);
      if (!row) return undefined;
      const acknowledged = row.state === SETTLED || row.state === REJECTED;
      if (!acknowledged) this.seqs.set(rangeKey(row), row.seq);
      const { file, start, finish, digest } = row;
      return { file, start, end: finish, digest, acknowledged, ambiguous: row.state === SENT };
    };
  }

  /** Lists the batches that were sent before `time` and whose outcome is ambiguous. */
  ambiguousBefore(time: number): AmbiguousBatch[] {
    return this.guard(() => ambiguousBefore(this.db, time));
  }

  /** Records that a batch is about to be sent; resolves when that is committed, to the run that sends it. */
  async sending(batch: Batch, digest: string, now: number): Promise<string> {
    let { run } = this;
    if (!this.begun) this.noteRunning();
    await this.commits.add(() => {
      this.begin.run(run, now);
      this.applyReopen();
      const key = rangeKey(batch);
      const sentBefore = this.seqs.get(key);
      if (sentBefore !== undefined) {
        run = (this.resend.get(now, run, sentBefore) as { run: string }).run;
        return;
      }
      const seq = ++this.seq;
      this.seqs.set(key, seq);
      const { file, start, end, firstLine, lastLine, records } = batch;
      this.insert.run(seq, file, start, end, firstLine, lastLine, records.count, digest, SENT, now, run);
    }, now);
    return run;
  }

  /** Records that a batch is settled, and the new length of the rejects file if it grew. */
  settled(
    batch: Batch,
    now: number,
    {
      accepted,
      rejectsLength,
      keepsRuns,
    }: { accepted: number; rejectsLength: number | undefined; keepsRuns: boolean },
  ): Promise<void> {
    return this.commits.add(() => {
      const seq = this.release(batch);
      this.mark.run(accepted > 0 ? SETTLED : REJECTED, now, seq);
      if (accepted > 0) this.count.run(accepted, keepsRuns ? 1 : 0, seq);
      if (rejectsLength !== undefined) this.extend.run(rejectsLength);
    }, now);
  }

  /** Records that the service stored nothing of a batch. */
  withdrawn(batch: Batch, now: number): Promise<void> {
    return this.commits.add(() => {
      this.mark.run(WITHDRAWN, now, this.release(batch));
    }, now);
  }

  /** Records that the import finished, with the state and the contents of its inputs; null if unknown. */
  finish(inputs: string, contents: Contents): Promise<void> {
    return this.commits.add(() => {
      this.db
        .prepare('UPDATE import SET finished = 1, inputs = ?, contents = ?')
        .run(inputs, JSON.stringify(contents));
    });
  }

  private noteRunning(): void {
    this.begun = true;
    this.guard(() => writeFileSync(runningFile(this.path), this.run, { mode: 0o600 }));
  }

  /** A run that is being taken back; undefined if none is. Until it is, the journal says of its records that they were sent. */
  get undoing(): string | undefined {
    return this.guard(() => undoing(this.db));
  }

  beginUndo(run: string): void {
    this.guard(() => beginUndo(this.db, run));
  }

  /** Forgets what a run sent, so that the next import sends it. */
  endUndo(run: string): void {
    this.guard(() => endUndo(this.db, run));
  }

  private applyReopen(): void {
    if (!this.reopened) return;
    const { inputs, rejectsPath, rejectsLength } = this.reopened;
    this.db
      .prepare('UPDATE import SET finished = 0, inputs = ?, rejects_path = ?, rejects_length = ?')
      .run(inputs, rejectsPath, rejectsLength);
    this.reopened = undefined;
  }

  /** Releases the file at once: closing alone waits until prepared statements are garbage-collected. */
  close(): void {
    if (this.begun) rmSync(runningFile(this.path), { force: true });
    try {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      this.db.exec('PRAGMA journal_mode = DELETE');
      this.db.exec('PRAGMA locking_mode = NORMAL');
      this.db.prepare('SELECT count(*) FROM import').get();
    } catch {
      // On a full disk the write-ahead log stays, and the next run recovers it.
    } finally {
      this.db.close();
    }
  }

  private release(batch: Batch): number {
    const key = rangeKey(batch);
    const seq = this.seqs.get(key);
    if (seq === undefined) throw new Error(`batch ${key} was never recorded as sent`);
    this.seqs.delete(key);
    return seq;
  }

  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toJournalError(this.path, error);
    }
  }
}

function rangeKey({ file, start }: { file: number; start: number }): string {
  return `${file}:${start}`;
}
