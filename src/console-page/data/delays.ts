import type { ConsoleFaults } from '../../contract/console.ts';
import { DEFAULT_FAULT_DELAY_MS } from '../../contract/limits.ts';
import { faultsOn } from './about.ts';
import { ask } from './api.ts';
import { useResource } from './resource.ts';

const EVERY_MS = 10_000;

/** A fault that answers requests late on purpose. */
export interface Delay {
  /** Undefined for requests of any operation. */
  readonly endpoint: string | undefined;
  readonly delayMs: number;
  /** True if it delays each of these requests. */
  readonly always: boolean;
}

/** The faults that delay answers now; none where the console cannot say. */
export function useDelays(): readonly Delay[] {
  const faults = useResource(
    faultsOn() > 0 ? 'delays' : undefined,
    (signal) => ask<ConsoleFaults>('faults', { signal }),
    EVERY_MS,
  );
  return (faults.value?.rules ?? [])
    .filter(({ on, rule }) => on && rule.fault === 'slow-answer')
    .map(({ rule: { fault, endpoint, delayMs = DEFAULT_FAULT_DELAY_MS, ...when } }) => ({
      endpoint,
      delayMs,
      always: Object.keys(when).length === 0,
    }));
}

/** The longest delay of the requests to an operation; undefined where none is delayed. */
export const delayOf = (delays: readonly Delay[], endpoint: string): Delay | undefined =>
  delays
    .filter((each) => each.endpoint === undefined || each.endpoint === endpoint)
    .sort((a, b) => b.delayMs - a.delayMs)[0];
