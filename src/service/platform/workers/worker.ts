import type { Clock } from '../../../kit/clock.ts';
import type { Log } from '../log.ts';
import type { Platform } from '../platform.ts';
import { due, type Lane } from '../store/due.ts';
import type { Topic } from '../store/store.ts';

/** A background loop of the service. */
export interface Worker {
  /** Finishes the current round and ends the loop. */
  stop(): Promise<void>;
  /** Starts the next round without waiting. */
  wake(): void;
  /** True when no work is due. */
  idle(): Promise<boolean>;
}

/** The longest pause after a round that failed, in ms. */
const FAILED_MS = 5_000;

/**
 * Runs `round` in a loop: immediately again while it returns true, otherwise after `pauseMs` or on `wake`. A round that
 * throws is logged and repeated after the pause, or FAILED_MS if that is less. A round that takes long, or sleeps, ends soon
 * after `stopping` fires.
 */
export function repeat(
  name: string,
  clock: Clock,
  log: Log,
  pauseMs: number,
  round: (stopping: AbortSignal) => Promise<boolean>,
): Worker {
  const stopping = new AbortController();
  let woken = new AbortController();
  let wakePending = false;
  let waiting = false;
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      wakePending = false;
      let busy = false;
      let pause = pauseMs;
      try {
        busy = await round(stopping.signal);
      } catch (error) {
        pause = Math.min(pauseMs, FAILED_MS);
        log('error', `${name} failed`, { reason: error instanceof Error ? error.message : String(error) });
      }
      if (busy || wakePending || stopping.signal.aborted) continue;
      // One controller per pause: a long-lived signal would retain memory for every pause (AbortSignal.any does).
      woken = new AbortController();
      waiting = true;
      await clock.sleep(pause, woken.signal).catch(() => {});
      waiting = false;
    }
  })();
  return {
    wake() {
      // Aborting makes an error each time, and a busy service wakes its workers thousands of times a second.
      if (waiting && !wakePending) woken.abort();
      wakePending = true;
    },
    idle: async () => waiting && !wakePending,
    stop: () => {
      stopping.abort();
      woken.abort();
      return loop;
    },
  };
}

/** What a worker needs of the platform. */
export type WorkerPlatform = Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>;

interface Declared {
  /** Names it in the log. */
  readonly name: string;
  /** The pause between two rounds without work, in ms. */
  readonly pause: number;
  /** Notifications of these topics start a round. */
  readonly topics?: readonly Topic[];
  /** What is due in its lane comes again and again: it does not keep the worker from being idle. */
  readonly routine?: boolean;
  /** Of the processes on a database, only the one that leads under this name works. */
  readonly leader?: string;
  /** Called at the start of each round, also where another process leads. */
  readonly before?: (stopping: AbortSignal) => Promise<void>;
  /** Called after the workspaces of a round. Returns whether it can do more at once. */
  readonly after?: () => Promise<boolean>;
  /** The jobs that it starts: the worker is idle when none is running, and ends them when it stops. */
  readonly jobs?: { readonly size: number; stop(): Promise<void> };
  /** Called once the loop has ended. */
  readonly close?: () => Promise<void>;
}

/** A worker by its work: that of each workspace with due work in `lane`, or a round of its own. */
export type Declaration = Declared &
  (
    | { readonly lane: Lane; readonly work: WorkspaceWork }
    | { readonly lane?: undefined; readonly work: (stopping: AbortSignal) => Promise<boolean> }
  );

/** Starts the worker that a declaration describes. */
export function worker(platform: WorkerPlatform, declared: Declaration): Worker {
  const { store, clock, log } = platform;
  const { name, pause, topics = [], leader, before, after, jobs, close } = declared;
  const work = declared.lane ? dueRound(platform, declared.lane, declared.work) : declared.work;
  const leads = async () => leader === undefined || (await store.leads(leader));
  const loop = repeat(name, clock, log, pause, async (stopping) => {
    await before?.(stopping);
    if (!(await leads())) return false;
    const more = await work(stopping);
    return ((await after?.()) ?? false) || more;
  });
  const unsubscribes = topics.map((topic) => store.subscribe(topic, () => loop.wake()));
  const { lane } = declared;
  return {
    wake: loop.wake,
    // The order matters: what is no longer due belongs to a running job or to the current round.
    idle: async () =>
      (!lane ||
        declared.routine ||
        !(await leads()) ||
        !(await store.read((tx) => due.any(tx, store.workers, lane)))) &&
      (jobs?.size ?? 0) === 0 &&
      loop.idle(),
    stop: async () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
      await loop.stop();
      await jobs?.stop();
      await close?.();
    },
  };
}

/**
 * Does what is due of a workspace. It removes the marks of the lane (due.clear) or leaves them for the next round, and
 * resolves to true if it can do more at once.
 */
type WorkspaceWork = (workspaceId: string, stopping: AbortSignal) => Promise<boolean>;

/** Workspaces that one round looks at. */
const PER_ROUND = 32;
/** When to look again at a workspace whose work failed, in ms. */
const PUT_OFF_MS = 10_000;

/**
 * Returns a round of a worker: it calls `work` for the workspaces that have due work in a lane, some at a time. A
 * workspace whose work fails is put off, and the others go on.
 */
export function dueRound(
  { store, log, precedence }: Pick<Platform, 'store' | 'log' | 'precedence'>,
  lane: Lane,
  work: WorkspaceWork,
): (stopping?: AbortSignal) => Promise<boolean> {
  let after = '';
  /** True if a workspace of this pass can do more. */
  let more = false;

  const putOff = async (workspaceId: string, error: unknown) => {
    log('error', `the work of a workspace failed and is put off: ${lane}`, {
      workspaceId,
      reason: error instanceof Error ? error.message : String(error),
    });
    await store
      .write(
        async (tx) => {
          await due.clear(tx, workspaceId, lane);
          await due.mark(tx, workspaceId, lane, tx.now + PUT_OFF_MS);
        },
        { durable: false },
      )
      .catch(() => {
        // What cannot be reached stays due.
      });
  };

  return async (stopping = new AbortController().signal) => {
    const { found, next } = await store.read((tx) => due.page(tx, store.workers, lane, after, PER_ROUND));
    for (const workspaceId of found)
      try {
        await precedence.yieldToRequests();
        if (stopping.aborted) return false;
        if (await work(workspaceId, stopping)) more = true;
      } catch (error) {
        await putOff(workspaceId, error);
      }
    const again = next !== undefined || more;
    if (next === undefined) more = false;
    after = next ?? '';
    return again;
  };
}
