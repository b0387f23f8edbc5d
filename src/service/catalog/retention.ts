import {
  RETAINED_LOGS,
  type RetainedLog,
  type Retention,
  retentionText,
} from '../platform/store/retained-logs.ts';
import type { Catalog } from './catalog.ts';

const DAY_MS = 86_400_000;

/** The least that a log may be kept, with or without rules: the answers to repeated requests are kept as long. */
const MIN_MS = DAY_MS;
/** Providers report for days what became of a message. */
const RECEIPTS_MS = 7 * DAY_MS;

/** A retention that is shorter than what rules read. Nothing was changed. */
export class RetentionTooShort extends Error {
  /** What the log may be kept for at least, as `serve --retain` takes it. */
  readonly least: string;
  /** True if the catalog needs that. */
  readonly byCatalog: boolean;

  constructor(log: RetainedLog, given: number, least: Need) {
    super(
      `${log} cannot be kept for ${retentionText(given)}: ${least.why} needs them for ${retentionText(least.ms)}, so nothing was changed`,
    );
    this.name = 'RetentionTooShort';
    this.least = `${log}=${retentionText(least.ms)}`;
    this.byCatalog = !least.always;
  }
}

interface Need {
  readonly ms: number;
  readonly why: string;
  /** True whatever the catalog says. */
  readonly always?: boolean;
}

/** What reads the log furthest back. */
function needOf(log: RetainedLog, { windows, contents, goals, settings }: Catalog): Need {
  const needs: Need[] = [{ ms: MIN_MS, why: 'the service', always: true }];
  if (log === 'events')
    for (const { event, withinDays } of windows)
      needs.push({ ms: withinDays * DAY_MS, why: `a rule of the catalog on the event ${event}` });
  else if (log === 'notifications')
    needs.push({ ms: RECEIPTS_MS, why: 'the receipt of a provider', always: true });
  else if (log === 'decisions') {
    // A message counts from when it was served. Its last day may have 25 hours.
    const waitingMs = (settings.messageDays + 1) * DAY_MS;
    needs.push({ ms: settings.rewardWindowMs + waitingMs, why: 'the reward window of the catalog' });
    for (const { goalId, withinMs } of goals)
      needs.push({ ms: withinMs + waitingMs, why: `the goal ${goalId}` });
    for (const { contentId, repeat } of contents)
      if (repeat?.cooldownMs)
        needs.push({ ms: repeat.cooldownMs + waitingMs, why: `the repeat rule of ${contentId}` });
  }
  return needs.reduce((most, need) => (need.ms > most.ms ? need : most));
}

/** Throws RetentionTooShort for a log that would be kept for less than the catalog reads. */
export function checkRetention(retention: Partial<Retention>, catalog: Catalog): void {
  for (const log of RETAINED_LOGS) {
    const given = retention[log];
    const need = needOf(log, catalog);
    if (given !== undefined && given !== null && given < need.ms)
      throw new RetentionTooShort(log, given, need);
  }
}

/** The retention in force: a catalog that changed since it was set keeps what its rules read. */
export function inForce(retention: Retention, catalog: Catalog): Retention {
  const kept = (log: RetainedLog) => {
    const ms = retention[log];
    return ms === null ? null : Math.max(ms, needOf(log, catalog).ms);
  };
  return Object.fromEntries(RETAINED_LOGS.map((log) => [log, kept(log)])) as Retention;
}
