import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, UNREACHABLE } from './api.ts';

export interface Resource<T> {
  /** The latest value; kept while it is loaded again. */
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly loading: boolean;
  /** When it was last read, Unix ms; undefined before. */
  readonly readAt: number | undefined;
  readonly reload: () => void;
}

interface State<T> {
  readonly key: string | undefined;
  readonly value?: T;
  readonly at?: number;
  readonly error?: Error;
}

/** How often a service that does not answer is asked again. */
const ASK_AGAIN_MS = 3000;

/** When to load again by itself what could not be loaded; undefined where that is up to the reader. */
const waitAfter = (error: Error): number | undefined =>
  error instanceof ApiError
    ? (error.retryAfterMs ?? (error.reason === UNREACHABLE ? ASK_AGAIN_MS : undefined))
    : undefined;

/**
 * Loads a value when `key` changes, and again on `reload` or every `everyMs` while the page is visible and nothing is
 * being loaded. Where the console must wait for the rate limit, it is loaded as soon as there is room, and where the service
 * does not answer, a little later. What was asked for an earlier key is cancelled. A key of undefined loads nothing.
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): Resource<T> {
  const [state, setState] = useState<State<T>>({ key: undefined });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const [busy, setBusy] = useState(true);
  /** A slow answer is waited for, or nothing would ever be shown. */
  const underWay = useRef(false);

  // Not after the next frame, as effects are: the answer is awaited while it is drawn.
  useLayoutEffect(() => {
    if (key === undefined) return;
    const control = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setBusy(true);
    underWay.current = true;
    const settle = (next: (last: State<T>) => State<T>, waitMs?: number) => {
      if (control.signal.aborted) return;
      setState(next);
      setBusy(false);
      underWay.current = waitMs !== undefined;
      if (waitMs !== undefined) again = setTimeout(reload, waitMs);
    };
    latest.current(control.signal).then(
      (value) => settle(() => ({ key, value, at: Date.now() })),
      (error: Error) =>
        settle((last) => ({ ...(last.key === key ? last : {}), key, error }), waitAfter(error)),
    );
    return () => {
      control.abort();
      clearTimeout(again);
    };
  }, [key, turn, reload]);

  useEvery(key === undefined ? undefined : everyMs, () => !underWay.current && reload());

  const current = state.key === key;
  return {
    value: current ? state.value : undefined,
    error: current ? state.error : undefined,
    loading: key !== undefined && (busy || !current),
    readAt: current ? state.at : undefined,
    reload,
  };
}

/** Does something again and again while the page is visible; never without a time. */
export function useEvery(ms: number | undefined, tick: () => unknown): void {
  const latest = useRef(tick);
  latest.current = tick;
  useEffect(() => {
    if (ms === undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/**
 * Reads a list again and again while nobody reads further down, types or has something of it open, so that nothing moves
 * under the reader.
 */
export function useListEvery(ms: number, pages: Pages<unknown>): void {
  useEvery(ms, () => {
    const isAtTop = [...document.querySelectorAll('.list-pane, html')].every(
      ({ scrollTop }) => scrollTop === 0,
    );
    const isBusy = document.querySelector(
      'dialog[open], :popover-open, .panel, .detail-pane, :is(table, input[type=text]):focus-within',
    );
    if (isAtTop && !isBusy && !pages.loading && !pages.isFurther) pages.reload();
  });
}

export interface Pages<T> extends Omit<Resource<T>, 'value'> {
  readonly items: readonly T[];
  /** Loads the next page; undefined on the last one. */
  readonly more: (() => void) | undefined;
  /** True once more than the first page was loaded. */
  readonly isFurther: boolean;
}

interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; absent or null on the last one. */
  readonly next?: string | null | undefined;
}

/** Most items that a list holds: the page stays quick, and narrower filters find the rest. */
const MAX_ITEMS = 2000;

/** Loads a list page by page; `key` names its filters. */
export function usePages<T>(
  key: string | undefined,
  load: (after: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
): Pages<T> {
  const first = useResource(key, (signal) => load(undefined, signal));
  const [rest, setRest] = useState<{
    of: Page<T>;
    pages: readonly Page<T>[];
    error?: Error;
    busy: boolean;
  }>();
  const base = first.value;
  const later = rest !== undefined && rest.of === base ? rest : undefined;
  const pages = base === undefined ? [] : [base, ...(later?.pages ?? [])];
  const items = pages.flatMap((page) => page.items);
  const next = pages.at(-1)?.next;

  const more = () => {
    if (base === undefined || later?.busy) return;
    const known = later?.pages ?? [];
    setRest({ of: base, pages: known, busy: true });
    load(next!, new AbortController().signal).then(
      (page) => setRest({ of: base, pages: [...known, page], busy: false }),
      (error: Error) => setRest({ of: base, pages: known, error, busy: false }),
    );
  };
  return {
    items,
    error: first.error ?? later?.error,
    loading: first.loading || later?.busy === true,
    readAt: first.readAt,
    reload: first.reload,
    more: next && items.length < MAX_ITEMS ? more : undefined,
    isFurther: pages.length > 1,
  };
}
