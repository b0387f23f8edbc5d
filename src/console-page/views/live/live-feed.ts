import type { WatchedEvent, WatchFrame, WatchGap, WatchTick } from '../../../contract/schemas/events.ts';
import { follow } from '../../data/stream.ts';
import { addTick, type Rates, ratesBefore, withoutMatches } from './rates.ts';

/** An event, whose user is known by hashId alone. */
export type LiveEvent = Omit<WatchedEvent, 'userId'>;

const PATH = '/v1/events/watch';
/** Events that are kept, and that wait while the view is paused. */
export const MAX_ROWS = 500;
/** Events before the newest one that a view opens with, and that are looked through where it has a filter. */
const LATEST = 500;
export const LOOKED_THROUGH = 20_000;
/** Gaps that are kept. */
const MAX_GAPS = 5;

export interface FeedState {
  readonly connection: 'connecting' | 'open' | 'lost' | 'hidden' | 'ended';
  readonly error: Error | undefined;
  /** How often the stream was lost and resumed. */
  readonly resumed: number;
  /** The newest events, newest first. */
  readonly rows: readonly LiveEvent[];
  /** Events since the view was paused. At most MAX_ROWS of them are kept. */
  readonly waiting: number;
  readonly paused: boolean;
  /** Events that the workspace ever received; undefined before it is known. */
  readonly stored: number | undefined;
  /** The events that are stored were looked through, or there are none. */
  readonly looked: boolean;
  /** Sums since the view was opened or its filter changed. */
  readonly total: { readonly received: number; readonly matched: number };
  /** Counts by second. */
  readonly rates: Rates;
  /** When the view was opened or its filter changed, by the clock of the service; undefined before a second is counted. */
  readonly since: string | undefined;
  /** The list was cleared. */
  readonly cleared: boolean;
  readonly gaps: readonly WatchGap[];
}

/** Before anything arrived. */
export const NOTHING: FeedState = {
  connection: 'connecting',
  error: undefined,
  resumed: 0,
  rows: [],
  waiting: 0,
  paused: false,
  stored: undefined,
  looked: false,
  total: { received: 0, matched: 0 },
  rates: [],
  since: undefined,
  cleared: false,
  gaps: [],
};

/**
 * Follows the events that match a filter, in bounded memory. It begins with the latest ones that are stored: a first watch
 * says which is the newest, and the second begins before it; these count neither in the sums nor in the rates. What arrives is collected and shown with the next frame of
 * the screen, however much it is; `changed` is called then.
 */
export class LiveFeed {
  state: FeedState = NOTHING;
  /** Newest last. */
  #arrived: LiveEvent[] = [];
  #next: FeedState = NOTHING;
  #scheduled = 0;
  /** The newest event when the view was opened; 0 until it is known. */
  #openedAt = 0;
  /** Events that were shown since the last tick, without those from before the view was opened. */
  #shownSinceTick = 0;
  /** When the events that the view opens with were received. */
  #before: string[] = [];
  readonly #filtered: boolean;
  readonly #changed: () => void;
  readonly #stop = new AbortController();

  /** `before` has the seconds that were counted with another filter, which go on. */
  constructor(filter: string, before: Rates, changed: () => void) {
    this.#changed = changed;
    this.#next = { ...NOTHING, rates: withoutMatches(before) };
    this.state = this.#next;
    this.#filtered = filter.trim() !== '';
    void this.#start(filter);
  }

  async #start(filter: string): Promise<void> {
    const found = new AbortController();
    await follow(
      PATH,
      {},
      {
        message: (_, data) => {
          const frame = data as WatchFrame;
          if (frame.type === 'ready') {
            this.#openedAt = Number(frame.next);
            this.#set({ stored: this.#openedAt, looked: this.#openedAt === 0 });
            found.abort();
          }
          return undefined;
        },
        state: (connection, error) => connection !== 'open' && this.#set({ connection, error }),
      },
      AbortSignal.any([found.signal, this.#stop.signal]),
    );
    if (!found.signal.aborted || this.#stop.signal.aborted) return;
    const before = this.#filtered ? LOOKED_THROUGH : LATEST;
    await follow(
      PATH,
      { filter, after: String(Math.max(0, this.#openedAt - before)) },
      {
        message: (_, data) => this.#take(data as WatchFrame),
        state: (connection, error) => {
          const isResumed = connection === 'open' && this.#next.connection === 'lost';
          this.#set({ connection, error, resumed: this.#next.resumed + (isResumed ? 1 : 0) });
        },
      },
      this.#stop.signal,
    );
  }

  stop(): void {
    this.#stop.abort();
    cancelAnimationFrame(this.#scheduled);
  }

  setPaused(paused: boolean): void {
    if (this.#next.paused !== paused) this.#set({ paused });
  }

  /** Forgets the events that are shown or wait. */
  clear(): void {
    this.#arrived = [];
    this.#set({ rows: [], waiting: 0, looked: true, cleared: true });
  }

  /** Takes a frame in, and returns where the stream resumes after it. */
  #take(frame: WatchFrame): string | undefined {
    switch (frame.type) {
      case 'event':
        this.#arrived.push(frame);
        if (Number(frame.id) > this.#openedAt) this.#shownSinceTick++;
        else if (!this.#filtered) this.#before.push(frame.receivedAt);
        // A tab in the background draws no frames.
        if (this.#arrived.length >= 2 * MAX_ROWS) this.#arrived.splice(0, MAX_ROWS);
        this.#set({ waiting: this.#next.waiting + 1 });
        return frame.id;
      case 'tick':
        this.#count(frame);
        return frame.next;
      case 'gap':
        if (Number(frame.to) > this.#openedAt)
          this.#set({ gaps: [frame, ...this.#next.gaps].slice(0, MAX_GAPS) });
        return frame.reason === 'reset' ? '0' : frame.to;
      case 'ready':
        return frame.next;
    }
    return undefined;
  }

  #count(tick: WatchTick): void {
    const { total, connection, since = tick.at } = this.#next;
    const rates = this.#next.rates.length > 0 ? this.#next.rates : this.#knownBefore(tick);
    const stored = Number(tick.next);
    const isNew = stored - tick.received >= this.#openedAt;
    // What was stored before the view was opened did not arrive now.
    const counted = isNew
      ? tick
      : {
          ...tick,
          received: Math.max(0, stored - this.#openedAt),
          matched: this.#shownSinceTick,
          shown: this.#shownSinceTick,
          untested: 0,
        };
    this.#shownSinceTick = 0;
    this.#set({
      stored,
      looked: true,
      total: {
        received: total.received + counted.received,
        matched: total.matched + counted.matched,
      },
      since,
      // Nobody counted between two filters.
      rates: addTick(rates, counted, connection === 'open' && this.#next.since !== undefined),
    });
  }

  /** What is known of the seconds before the first tick; with a filter, only what matched is. */
  #knownBefore({ at }: WatchTick): Rates {
    if (this.#filtered) return [];
    const received = this.#before;
    this.#before = [];
    return ratesBefore(received, this.#openedAt <= LATEST, Math.floor(Date.parse(at) / 1000));
  }

  #set(change: Partial<FeedState>): void {
    this.#next = { ...this.#next, ...change };
    this.#scheduled ||= requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    this.#scheduled = 0;
    if (!this.#next.paused && this.#next.waiting > 0) {
      const newest = this.#arrived.slice(-MAX_ROWS).reverse();
      const rows = [...newest, ...this.#next.rows].slice(0, MAX_ROWS);
      this.#next = { ...this.#next, rows, waiting: 0 };
      this.#arrived = [];
    }
    this.state = this.#next;
    this.#changed();
  }
}
