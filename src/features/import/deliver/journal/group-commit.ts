import type Database from 'libsql';
import { toJournalError } from './journal-error.ts';

/** Longest time between two syncs, in milliseconds; see GroupCommit. */
const SYNC_EVERY_MS = 1000;

interface Change {
  readonly apply: () => void;
  /** Unix milliseconds; undefined for a change that must be synced. */
  readonly now: number | undefined;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Commits the changes of one turn of the event loop in one transaction.
 *
 * A commit survives the end of the process at once, and a power failure after the next sync. The first and the last
 * commit are synced, and otherwise one per second, because a sync blocks the only thread. A file is cut into the same
 * batches again, so batches lost in a power failure are sent again with the same keys. That does not hold for a pipe,
 * whose batches also depend on time: there every commit is synced (`everySync`).
 */
export class GroupCommit {
  /** Sync every commit. */
  everySync = false;
  private readonly db: Database.Database;
  private readonly path: string;
  private changes: Change[] = [];
  private syncedAt = Number.NEGATIVE_INFINITY;
  private syncing = true;

  constructor(db: Database.Database, path: string) {
    this.db = db;
    this.path = path;
  }

  /**
   * Adds a change to the next commit. Resolves when it is committed; rejects with a JournalError. `now` is in Unix
   * milliseconds; a commit with a change without it is synced.
   */
  add(apply: () => void, now?: number): Promise<void> {
    return new Promise((done, failed) => {
      this.changes.push({ apply, now, done, failed });
      if (this.changes.length === 1) setImmediate(() => this.commit());
    });
  }

  private commit(): void {
    const changes = this.changes;
    this.changes = [];
    try {
      this.sync(changes);
      this.db.exec('BEGIN IMMEDIATE');
      for (const { apply } of changes) apply();
      this.db.exec('COMMIT');
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      for (const { failed } of changes) failed(toJournalError(this.path, error));
      return;
    }
    for (const { done } of changes) done();
  }

  /** Decides whether the next commit is synced. A sync includes all earlier commits. */
  private sync(changes: readonly Change[]): void {
    const now = changes[0]?.now;
    const due = now === undefined || now - this.syncedAt >= SYNC_EVERY_MS;
    const wanted = this.everySync || due || changes.some((change) => change.now === undefined);
    if (wanted && now !== undefined) this.syncedAt = now;
    if (wanted === this.syncing) return;
    this.db.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    this.syncing = wanted;
  }
}
