/** Where a source of a timeline continues: at the entry with this time (Unix ms) and identifier, or after it. */
export interface Position {
  readonly at: number;
  readonly id: string;
  /** True if the entry itself is still to come. */
  readonly inclusive: boolean;
}

/** An entry of a source. Sources are ordered by time, newest first, and then by identifier. */
export interface Timed {
  readonly at: number;
  /** Its place among the entries of the same source and time. */
  readonly key: string;
}

/** What was read of a source. */
export interface SourcePage<T extends Timed> {
  readonly rows: readonly T[];
  /** True if more follow than were read. */
  readonly more: boolean;
}

/**
 * Merges what was read of several sources, newest first, up to `limit` entries. An entry is only taken while nothing that
 * was not read yet could come before it. Returns where each source continues: null where nothing is left.
 */
export function mergeTimelines<T extends Timed>(
  pages: readonly SourcePage<T>[],
  limit: number,
): { entries: T[]; next: (Position | null)[] } {
  const taken = pages.map(() => 0);
  const entries: T[] = [];
  while (entries.length < limit) {
    let newest = -1;
    for (const [i, { rows }] of pages.entries()) {
      const row = rows[taken[i]!];
      if (row && (newest < 0 || row.at > pages[newest]!.rows[taken[newest]!]!.at)) newest = i;
    }
    // Of a source that was read to the end of its page, the next entry is not known.
    const unknown = pages.some(({ rows, more }, i) => more && taken[i] === rows.length);
    if (newest < 0 || unknown) break;
    entries.push(pages[newest]!.rows[taken[newest]!++]!);
  }
  const next = pages.map(({ rows, more }, i) => {
    const unread = rows[taken[i]!];
    if (unread) return { at: unread.at, id: unread.key, inclusive: true };
    const last = rows.at(-1);
    return more && last ? { at: last.at, id: last.key, inclusive: false } : null;
  });
  return { entries, next };
}
