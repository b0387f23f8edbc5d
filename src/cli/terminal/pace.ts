import type { Pacer } from '../../client/pacer/pacer.ts';
import { WINDOW_MS } from '../../contract/limits.ts';

/** The limit that an import keeps to, and what that costs it. */
export interface PaceView {
  /** Requests that the service allows in a window. */
  readonly limit: number;
  /** In ms. */
  readonly windowMs: number;
  /** The part of it that may be used here: `--share`. */
  readonly share: number;
  /** Slots of the window in use by this import, and by others as far as they are seen. */
  readonly own: number;
  readonly others: number;
  /** How long requests waited for the limit and nothing else, in ms. */
  readonly heldMs: number;
}

/** Less waiting than this is not worth a word, in ms. */
const NOTEWORTHY_MS = 1000;
/** Others who use more of the limit than this are worth a word. */
const NOTEWORTHY_OTHERS = 0.1;

/** What the pacer knows now; undefined while no answer has shown a limit. */
export function paceOf(pacer: Pacer, share: number): PaceView | undefined {
  const { limit, windowMs, own, others } = pacer.state();
  if (limit === undefined) return undefined;
  return { limit: Math.floor(limit), windowMs, share, own, others, heldMs: pacer.heldMs };
}

/** Requests that may be sent here in a window. */
function allowed({ limit, share }: PaceView): number {
  return Math.max(1, Math.floor(limit * share));
}

/** How long that many requests take while they go out evenly under the limit, in seconds. */
export function pacedSeconds(pace: PaceView, requests: number): number {
  return (requests * pace.windowMs) / allowed(pace) / 1000;
}

/** `600 requests a minute`: what may be used here. */
function allowance(pace: PaceView): string {
  const { windowMs } = pace;
  const requests = allowed(pace).toLocaleString('en-US');
  return `${requests} requests ${windowMs === WINDOW_MS ? 'a minute' : `in ${windowMs / 1000} s`}`;
}

/** Says whose limit it is. */
export function pacedText(pace: PaceView): string {
  const whose =
    pace.share < 1 ? `${Math.round(pace.share * 100)}% of the service's limit` : "the service's limit";
  return `paced to ${allowance(pace)} by ${whose}`;
}

/** The same for a terminal's one line. */
export function pacedShort(pace: PaceView): string {
  const { windowMs } = pace;
  const requests = allowed(pace).toLocaleString('en-US');
  return `paced to ${requests}/${windowMs === WINDOW_MS ? 'min' : `${windowMs / 1000}s`}`;
}

/**
 * For the end: that the limit held the import back, for how long, and what makes it faster. Undefined where it hardly
 * waited.
 */
export function heldBackText(
  pace: PaceView,
  { elapsedMs, batchSize, isLocal }: { elapsedMs: number; batchSize: number; isLocal: boolean },
): { held: string; faster: readonly string[] } | undefined {
  if (pace.heldMs < NOTEWORTHY_MS) return undefined;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const ways: string[] = [];
  if (batchSize < 1000) ways.push('--batch-size 1000 needs fewer requests');
  if (pace.share < 1)
    ways.push(`a larger --share uses more of the limit of ${pace.limit.toLocaleString('en-US')}`);
  if (pace.others > pace.limit * NOTEWORTHY_OTHERS)
    ways.push(`others in this workspace hold ${pace.others.toLocaleString('en-US')} of it now (svc limits)`);
  ways.push(
    isLocal
      ? 'svc serve --limit ingest=N sets another limit'
      : 'ask whoever runs the service for a higher limit (svc limits shows it)',
  );
  return {
    held: `held back by the limit of ${allowance(pace)} for ${seconds(Math.min(pace.heldMs, elapsedMs))} of ${seconds(elapsedMs)}`,
    faster: ways,
  };
}
