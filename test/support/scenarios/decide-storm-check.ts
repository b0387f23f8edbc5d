import { systemClock } from '../../../src/kit/clock.ts';
import type { LoggedDecision } from '../../../src/service/decisions/store/decision-record.ts';
import { decisions as log } from '../../../src/service/decisions/store/decisions.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';

export const CATEGORIES = ['a', 'b', 'c', 'd', 'e'];
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'America/Santiago',
  'Australia/Lord_Howe',
  undefined,
];
/** The evening before the clocks change in Berlin; Santiago and Lord Howe follow a week later. */
export const START = Date.parse('2026-03-28T18:00:00Z');
export const CONTENTS = Array.from({ length: 15 }, (_, i) => ({
  contentId: `c${i}`,
  category: CATEGORIES[i % 5]!,
  format: 'card',
  title: 'T',
  body: 'B',
  ...(i % 4 === 3 ? { channels: ['push'] } : {}),
}));
const BY_ID = new Map(CONTENTS.map((content) => [content.contentId, content]));

export interface User {
  readonly userId: string;
  readonly timeZone: string | undefined;
  readonly cap: number | undefined;
  hashId: string;
}

/** Reads the decision log after the test and adds each violation, as text, to `broken`. */
export async function checkLog(
  database: string,
  workspace: string,
  users: readonly User[],
  answered: ReadonlyMap<string, string | null>,
  excluded: ReadonlyMap<string, string[]>,
  broken: string[],
) {
  const byHashId = new Map(users.map((user) => [user.hashId, user]));
  const perDay = new Map<string, number>();
  const dates = new Map(ZONES.map((zone) => [zone, dateIn(zone)]));
  const zoneDays = new Set<string>();
  const expected = new Map<string, { sum: number; variance: number; seen: number }>();
  const models = new Set<number>();
  let logged = 0;
  let chosen = 0;
  let found = 0;
  const check = (decision: LoggedDecision) => {
    const { decisionId, contentId, candidates, others } = decision;
    logged++;
    if (answered.has(decisionId)) {
      found++;
      if (answered.get(decisionId) !== contentId)
        broken.push(`${decisionId} has different values in the answer and in the log`);
    }
    models.add(decision.modelVersion);
    for (const candidate of candidates) {
      const content = BY_ID.get(candidate.contentId)!;
      if (excluded.get(decisionId)?.includes(content.category))
        broken.push(`${decisionId} considers the excluded category ${content.category}`);
      if (content.channels) broken.push(`${decisionId} considers ${content.contentId} for another channel`);
    }
    if (contentId === null) return;
    chosen++;
    const listed = candidates.reduce((sum, { propensity }) => sum + propensity, 0);
    const total = listed + (others?.propensity ?? 0);
    if (Math.abs(total - 1) > 1e-9) broken.push(`${decisionId}: propensities sum to ${total}`);
    for (const { contentId: id, propensity: p } of candidates) {
      const sums = expected.get(id) ?? { sum: 0, variance: 0, seen: 0 };
      sums.sum += p;
      sums.variance += p * (1 - p);
      if (id === contentId) sums.seen++;
      expected.set(id, sums);
    }
    const user = byHashId.get(decision.hashId)!;
    const date = dates.get(user.timeZone)!(decision.at);
    zoneDays.add(`${user.timeZone} ${date}`);
    const key = `${user.userId} ${date}`;
    perDay.set(key, (perDay.get(key) ?? 0) + 1);
  };
  const store = await SqliteStore.open(database, systemClock);
  try {
    for (let after = 0; ; ) {
      const { rows } = await store.read((tx) => log.after(tx, workspace, after, 5000));
      if (rows.length === 0) break;
      rows.forEach(check);
      after = rows.at(-1)!.seq;
    }
  } finally {
    await store.close();
  }
  if (found !== answered.size) broken.push(`${answered.size - found} answered decisions are not in the log`);
  let daysAtCap = 0;
  for (const user of users) {
    if (user.cap === undefined) continue;
    for (const zoneDay of zoneDays) {
      const [zone, date] = zoneDay.split(' ') as [string, string];
      if (zone !== String(user.timeZone)) continue;
      const contacts = perDay.get(`${user.userId} ${date}`) ?? 0;
      if (contacts > user.cap)
        broken.push(`${user.userId} had ${contacts} contacts on ${date}, cap ${user.cap}`);
      if (contacts === user.cap && user.cap > 0) daysAtCap++;
    }
  }
  for (const [id, { sum, variance, seen }] of expected) {
    const off = (seen - sum) / Math.sqrt(variance);
    if (Math.abs(off) > 5)
      broken.push(
        `${id} was chosen ${seen} times, its propensities say ${sum.toFixed(0)} (${off.toFixed(1)} sd)`,
      );
  }
  return { logged, chosen, none: logged - chosen, daysAtCap, zoneDays: zoneDays.size, models: models.size };
}

/** The calendar date of an instant, computed differently from the service. */
function dateIn(zone: string | undefined): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone ?? 'UTC', dateStyle: 'short' });
  const known = new Map<number, string>();
  return (at) => {
    // No zone changes its date within a minute.
    const minute = Math.floor(at / 60_000);
    const date = known.get(minute) ?? format.format(minute * 60_000);
    known.set(minute, date);
    return date;
  };
}
