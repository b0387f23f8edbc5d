import type { ConsoleRefused } from '../../contract/console.ts';
import { about } from './about.ts';
import { ask } from './api.ts';
import { useResource } from './resource.ts';

const EVERY_MS = 10_000;

/** Requests that were refused, and since when they are counted. */
export interface Refused {
  readonly since: string;
  readonly rows: ConsoleRefused['rows'];
  readonly n: number;
}

/** The requests to one endpoint, or to all, that were refused; undefined where there are none, or nobody counts them. */
export function useRefused(endpoint?: string): Refused | undefined {
  const { value } = useResource(
    about.value?.local ? 'refused' : undefined,
    (signal) => ask<ConsoleRefused>('refused', { signal }),
    EVERY_MS,
  );
  const rows = (value?.rows ?? []).filter((row) => endpoint === undefined || row.endpoint === endpoint);
  const n = rows.reduce((sum, row) => sum + row.count, 0);
  return value?.since && n > 0 ? { since: value.since, rows, n } : undefined;
}
