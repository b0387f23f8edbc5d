import type { Page } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import { type Removal, removals } from '../../platform/store/retention/removals.ts';
import type { Store } from '../../platform/store/store.ts';
import { events, type PagedEvent } from '../store/events.ts';
import type { ByteBudget } from './byte-budget.ts';
import { type Part, partsOf, sizeOf } from './stream-parts.ts';
import type { StreamTurns } from './stream-turns.ts';

/** Maximum number of events of a page. */
const PAGE = 500;

/** Events in the format of the stream. */
interface StreamPage {
  readonly parts: readonly Part[];
  /** The number of the first event and of the last one; undefined if there are none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** True if more events follow. */
  readonly more: boolean;
  readonly removed: Removal | undefined;
}

/** A page that is in use. */
export interface HeldPage {
  readonly page: StreamPage;
  /** To be called once, when nothing of the page is needed any more. */
  release(): void;
}

type PageRead = Page<PagedEvent> & { readonly removed: Removal | undefined };

interface PagesParts {
  readonly store: Store;
  readonly turns: StreamTurns;
  readonly budget: ByteBudget;
}

interface Reading {
  users: number;
  readonly read: Promise<{ readonly page: StreamPage; readonly size: number }>;
}

/**
 * Reads the pages of the streams of a process. Streams that ask for the same page before it is read share it, as those do
 * that are at the newest event when further ones are stored. Pages that are in use take their bytes from the budget.
 */
export class StreamPages {
  readonly #parts: PagesParts;
  readonly #reading = new Map<string, Reading>();

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  /** Reads the page after an event. Waits until the budget has room for it, and for its turn. */
  async after(workspaceId: string, number: number): Promise<HeldPage> {
    const key = `${workspaceId} ${number}`;
    const reading = this.#reading.get(key) ?? this.#start(key, workspaceId, number);
    reading.users++;
    const { page, size } = await reading.read;
    return {
      page,
      release: () => {
        if (--reading.users === 0 && size > 0) this.#parts.budget.give(size);
      },
    };
  }

  #start(key: string, workspaceId: string, number: number): Reading {
    const reading = { users: 0, read: this.#readAndCharge(key, workspaceId, number) };
    this.#reading.set(key, reading);
    return reading;
  }

  async #readAndCharge(key: string, workspaceId: string, number: number) {
    const { budget, turns } = this.#parts;
    await turns.next();
    // What is stored from now on may not be in the page.
    this.#reading.delete(key);
    let read: PageRead | undefined = await this.#read(workspaceId, number);
    const size = sizeOf(read.rows);
    if (size === 0) return { page: pageOf(read, number), size };
    if (!budget.take(size)) {
      // Do not keep the page while waiting for the budget; read it again.
      read = undefined;
      await budget.wait(size);
    }
    try {
      return { page: pageOf(read ?? (await this.#read(workspaceId, number)), number), size };
    } catch (error) {
      budget.give(size);
      throw error;
    }
  }

  #read(workspaceId: string, number: number): Promise<PageRead> {
    return this.#parts.store.read(async (tx) => {
      const [removed, found] = await pipeline([
        removals.of(tx, workspaceId, 'events'),
        // Pages begin at the same events for all streams that are behind, so that they meet.
        events.after(tx, workspaceId, number, PAGE - (number % PAGE)),
      ]);
      return { removed, ...found };
    });
  }
}

const pageOf = ({ rows, more, removed }: PageRead, number: number): StreamPage => ({
  parts: partsOf(rows, number),
  first: rows[0]?.number,
  last: rows.at(-1)?.number,
  more,
  removed,
});
