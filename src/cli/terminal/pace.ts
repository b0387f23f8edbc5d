import type { Pacer } from '../../client/pacer/pacer.ts';
import { type Group, WINDOW_MS } from '../../contract/limits.ts';
import { shell } from '../../kit/shell.ts';

/** The rate limit that a command observes, and how much it delayed the command. */
export interface PaceView {
  /** Requests per window that the service allows. */
  readonly limit: number;
  /** In ms. */
  readonly windowMs: number;
  /** The fraction of the limit to use: `--share`. */
  readonly share: number;
  /** Slots of the window in use by this command, and by other clients as far as known. */
  readonly own: number;
  readonly others: number;
  /** How long requests waited for the limit only, in ms. */
  readonly throttledMs: number;
}

/** Shorter waits are not reported, in ms. */
const NOTEWORTHY_MS = 1000;
/** Peers that use a smaller fraction of the limit are not reported. */
const NOTEWORTHY_OTHERS = 0.1;

/** Returns the current pace; undefined until a response has shown a limit. */
export function paceOf(pacer: Pacer, share: number): PaceView | undefined {
  const { limit, windowMs, own, others } = pacer.state();
  if (limit === undefined) return undefined;
  return { limit: Math.floor(limit), windowMs, share, own, others, throttledMs: pacer.throttledMs };
}

/** Returns the requests per window that this command may send. */
function allowed({ limit, share }: PaceView): number {
  return Math.max(1, Math.floor(limit * share));
}

/** Returns how long that many requests take at an even pace under the limit, in seconds. */
export function pacedSeconds(pace: PaceView, requests: number): number {
  return (requests * pace.windowMs) / allowed(pace) / 1000;
}

/** Describes the allowed pace: `600 requests a minute`. */
function allowance(pace: PaceView): string {
  const { windowMs } = pace;
  const requests = allowed(pace).toLocaleString('en-US');
  return `${requests} requests ${windowMs === WINDOW_MS ? 'a minute' : `in ${windowMs / 1000} s`}`;
}

/** Describes the pace and its cause. */
export function pacedText(pace: PaceView): string {
  const whose =
    pace.share < 1 ? `${Math.round(pace.share * 100)}% of the service's limit` : "the service's limit";
  return `paced to ${allowance(pace)} by ${whose}`;
}

/** Describes the pace for the progress line of a terminal. */
export function pacedShort(pace: PaceView): string {
  const { windowMs } = pace;
  const requests = allowed(pace).toLocaleString('en-US');
  return `paced to ${requests}/${windowMs === WINDOW_MS ? 'min' : `${windowMs / 1000}s`}`;
}

/**
 * Describes how long the limit delayed an import, and what would make it faster. Undefined for short waits.
 */
export function throttledText(
  pace: PaceView,
  {
    elapsedMs,
    batchSize,
    isLocal,
    limitsCommand,
  }: {
    readonly elapsedMs: number;
    readonly batchSize: number;
    readonly isLocal: boolean;
    /** The command that shows the limits. */
    readonly limitsCommand: string;
  },
): { held: string; faster: readonly string[] } | undefined {
  if (pace.throttledMs < NOTEWORTHY_MS) return undefined;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const advice: string[] = [];
  if (batchSize < 1000) advice.push('--batch-size 1000 needs fewer requests');
  if (pace.share < 1)
    advice.push(`a larger --share uses more of the limit of ${pace.limit.toLocaleString('en-US')}`);
  if (pace.others > pace.limit * NOTEWORTHY_OTHERS)
    advice.push(
      `others in this workspace hold ${pace.others.toLocaleString('en-US')} of it now (${limitsCommand})`,
    );
  advice.push(
    isLocal
      ? 'svc serve --limit ingest=N sets another limit'
      : `ask the operator of the service for a higher limit (${limitsCommand} shows it)`,
  );
  return {
    held: `held back by the limit of ${allowance(pace)} for ${seconds(Math.min(pace.throttledMs, elapsedMs))} of ${seconds(elapsedMs)}`,
    faster: advice,
  };
}

/** How to lift the limit of a group on the service of this machine, whose store keeps it for the commands that follow. */
export const liftOf = (group: Group, { isLocal }: { readonly isLocal: boolean }): string | undefined =>
  isLocal ? shell`to lift it, run once: svc serve --limit ${`${group}=off`}` : undefined;
