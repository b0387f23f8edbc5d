import type { WatchGap } from '../../../contract/schemas/events.ts';
import { matchesFilter } from '../../../kit/event-filter/match.ts';
import type { Term } from '../../../kit/event-filter/parse.ts';
import type { Platform } from '../../platform/platform.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { eventHeads } from '../store/event-heads.ts';
import { events, type PagedEvent } from '../store/events.ts';
import { ByteBudget } from './byte-budget.ts';
import { type Hash, hashedFor, selectionOf } from './conditions.ts';
import { eventFrame, frame, isHidden } from './frames.ts';
import { TokenBucket } from './token-bucket.ts';
import type { Waker } from './waker.ts';

/** Bounds of a watch, which tests lower. */
export interface WatchBounds {
  /** Events shown a second with a filter, and without one. */
  readonly matches: number;
  readonly unfiltered: number;
  /** Events a second that are read because they may match, and tested. */
  readonly tested: number;
  /** Events shown without a filter of those that were missed before a watch resumed. */
  readonly missed: number;
  /** Events between `after` and the newest one; earlier ones are a gap. */
  readonly behind: number;
}
const BOUNDS: WatchBounds = {
  matches: 5000,
  unfiltered: 100,
  tested: 10_000,
  missed: 1000,
  behind: 2_000_000,
};

/** Events that are looked at in one piece of work, and read at once. */
const PIECE = 20_000;
const PAGE = 500;
/** Interval between looks for events while they arrive, between ticks, and between ticks of an idle watch, in ms. */
const ROUND_MS = 25;
const TICK_MS = 250;
const IDLE_MS = 1000;

/** Bytes of long events, whose properties do not fit into a page, that all watches have in memory to test them. */
const longEvents = new ByteBudget(16 * 1024 * 1024);

interface WatchParts {
  readonly platform: Pick<Platform, 'store' | 'precedence' | 'clock'>;
  readonly workspaceId: string;
  readonly terms: readonly Term[];
  readonly waker: Waker;
  readonly bounds?: Partial<WatchBounds>;
}

/**
 * Follows the events of a workspace in commit order, by their numbers, and shows those that match a filter. The database
 * selects what may match, so that at any rate of ingest only few events are read and parsed. What exceeds a bound is
 * counted instead of shown, but nothing that was missed before a filtered watch resumed is left out.
 */
export class Watch {
  readonly #parts: WatchParts;
  readonly #bounds: WatchBounds;
  readonly #selection: ReturnType<typeof selectionOf>;
  readonly #shown: TokenBucket;
  readonly #tested: TokenBucket;
  /** The key of the workspace for identifiers of users. */
  #hashKey: Uint8Array = new Uint8Array();
  #hashed: Hash = (event) => event;
  /** All events up to this number are dealt with. */
  #position = 0;
  /** Up to this number, events were stored before the watch was opened. */
  #missedUpTo = 0;
  #missedLeft: number;
  #counts = { received: 0, matched: 0, shown: 0, untested: 0 };
  #tickedAt = performance.now();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#bounds = { ...BOUNDS, ...parts.bounds };
    this.#selection = selectionOf(parts.terms);
    const { matches, unfiltered, tested, missed } = this.#bounds;
    const isFiltered = parts.terms.length > 0;
    this.#shown = new TokenBucket(isFiltered ? matches : unfiltered);
    this.#tested = new TokenBucket(tested);
    this.#missedLeft = isFiltered ? Infinity : missed;
  }

  /**
   * Yields frames, as text, until the waker ends. Each is at most a page of events. With `after`, it resumes there.
   */
  async *frames(after: number | undefined): AsyncGenerator<string> {
    const { waker, platform } = this.#parts;
    yield* this.#start(after);
    let idle = false;
    while (!waker.ended) {
      for (let left = true; left && !waker.ended; ) {
        // Ingest and everybody's requests come first.
        await platform.precedence.yieldToRequests();
        const { text, more } = await this.#piece();
        left = more;
        if (text !== '') yield text;
        if (this.#sinceTick() >= TICK_MS && this.#hasNews()) yield this.#tick();
      }
      if (idle && this.#sinceTick() >= IDLE_MS) yield this.#tick();
      await waker.pause(ROUND_MS);
      const wait = (this.#hasNews() ? TICK_MS : IDLE_MS) - this.#sinceTick();
      idle = !(await waker.untilNews(Math.max(0, wait)));
    }
  }

  async *#start(after: number | undefined): AsyncGenerator<string> {
    const { platform, workspaceId } = this.#parts;
    const { hashKey, newest, oldest } = await platform.store.read(async (tx) => ({
      hashKey: await workspaces.hashKey(tx, workspaceId),
      newest: (await eventHeads.get(tx, workspaceId)).number,
      oldest: after === undefined ? undefined : await events.oldest(tx, workspaceId),
    }));
    this.#hashKey = hashKey;
    this.#hashed = await hashedFor(this.#parts.terms, async () => hashKey);
    this.#missedUpTo = newest;
    this.#position = after ?? newest;
    let ready = `retry: 1000\n${frame({ type: 'ready', next: String(this.#position) }, this.#position)}`;
    if (this.#position > newest) {
      // From before the data was replaced: all of it is new.
      ready += this.#gap(1, this.#position, 'reset', 0);
    }
    const first = oldest ?? newest + 1;
    if (first > this.#position + 1) ready += this.#gap(this.#position + 1, first - 1, 'removed', first - 1);
    const start = newest - this.#bounds.behind;
    if (start > this.#position) ready += this.#gap(this.#position + 1, start, 'behind', start);
    yield ready;
  }

  #gap(from: number, to: number, reason: WatchGap['reason'], next: number): string {
    this.#position = next;
    return frame({ type: 'gap', from: String(from), to: String(to), reason }, next);
  }

  /** Deals with the next events, up to a page of those that may match. */
  async #piece(): Promise<{ text: string; more: boolean }> {
    const { platform, workspaceId } = this.#parts;
    const { conditions, exact } = this.#selection;
    const missed = this.#position < this.#missedUpTo;
    const budget = missed ? this.#missedLeft : exact ? this.#shown.available : this.#tested.available;
    const found = await platform.store.read(async (tx) => {
      const { number: newest } = await eventHeads.get(tx, workspaceId);
      if (newest <= this.#position) return undefined;
      const end = Math.min(newest, this.#position + PIECE, missed ? this.#missedUpTo : Infinity);
      const range = { after: this.#position, upTo: end };
      const limit = Math.min(budget, PAGE);
      const { rows, more } =
        limit > 0
          ? await events.matching(tx, workspaceId, range, conditions, limit)
          : { rows: [], more: true };
      const last = more ? (rows.at(-1)?.number ?? this.#position) : end;
      const isOver = more && rows.length >= budget;
      // What is over the budget is only counted.
      const over = isOver
        ? await events.count(tx, workspaceId, { after: Number(last), upTo: end }, conditions)
        : 0;
      return { rows, over, upTo: isOver ? end : Number(last), newest };
    });
    if (!found) return { text: '', more: false };
    const { rows, over, upTo, newest } = found;
    const text = await this.#show(rows, missed);
    if (!missed) this.#tested.take(rows.length);
    this.#counts.received += upTo - this.#position;
    if (exact) this.#counts.matched += over;
    else this.#counts.untested += over;
    this.#position = upTo;
    return { text, more: upTo < newest };
  }

  /** The frames of the events that match, as far as they may be shown. */
  async #show(rows: readonly PagedEvent[], missed: boolean): Promise<string> {
    const { exact } = this.#selection;
    let text = '';
    for (const row of rows) {
      if (!exact && !(await this.#matches(row))) continue;
      this.#counts.matched++;
      if (!this.#take(missed)) continue;
      this.#counts.shown++;
      text += eventFrame(row, this.#hashKey);
    }
    return text;
  }

  #take(missed: boolean): boolean {
    if (missed) return this.#missedLeft-- > 0;
    if (this.#shown.available === 0) return false;
    this.#shown.take(1);
    return true;
  }

  async #matches(event: PagedEvent): Promise<boolean> {
    const { platform, workspaceId, terms } = this.#parts;
    if (event.leftOut === 0) return matchesFilter(terms, this.#hashed(event), isHidden);
    await longEvents.wait(event.leftOut);
    try {
      const pieces = await platform.store.read((tx) =>
        events.range(tx, workspaceId, event.number, 0, event.leftOut),
      );
      const properties = Buffer.concat(pieces).toString('utf8');
      return matchesFilter(terms, this.#hashed({ ...event, properties }), isHidden);
    } finally {
      longEvents.give(event.leftOut);
    }
  }

  #hasNews(): boolean {
    return this.#counts.received > 0;
  }

  #sinceTick(): number {
    return performance.now() - this.#tickedAt;
  }

  #tick(): string {
    const counts = this.#counts;
    this.#counts = { received: 0, matched: 0, shown: 0, untested: 0 };
    this.#tickedAt = performance.now();
    const at = new Date(this.#parts.platform.clock.now()).toISOString();
    return frame({ type: 'tick', at, ...counts, next: String(this.#position) }, this.#position);
  }
}
