import { eventHeads } from '../events/store/event-heads.ts';
import type { Endpoints } from '../http/endpoint.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { hashId as hashOf } from '../platform/crypto/hash-id.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { described, type Seen, type Tracked } from './described-users.ts';
import { DECISION_BEFORE, EVENT_BEFORE, newestDecision, positionsAt } from './store.ts';

/** Most users of an answer. */
const MOST = 100;
/** Events, decisions and outcomes whose users are looked at. */
const LATEST_EVENTS = 2_000;
const LATEST_DECISIONS = 1_000;
const LATEST_OUTCOMES = 1_000;
/** Events, decisions and changes whose users are counted. */
const COUNTED = 10_000;

/** A range of time, Unix ms. */
interface Between {
  readonly from: number;
  readonly until: number;
}

/** The users of whom there was something last: an event, a decision, or a change of what is stored of them. */
export const latestUserEndpoints = (cipher: Cipher): Endpoints => ({
  listUsers: {
    priority: 'page',
    handle: async ({ tx, workspace, query, now }) => {
      const { id } = workspace;
      const place = query.after === undefined ? undefined : placeOf(query.after);
      const range = {
        from: query.since === undefined ? 0 : Date.parse(query.since),
        until: Math.min(
          query.until === undefined ? now + 1 : Date.parse(query.until),
          place?.until ?? Infinity,
        ),
      };
      const { number: head } = await eventHeads.get(tx, id);
      const upTo: Ends = {
        event: await endOf(tx, EVENT_BEFORE, id, head, range),
        decision: await endOf(tx, DECISION_BEFORE, id, await newestDecision(tx, id), range),
      };
      const key = await workspaces.hashKey(tx, id);
      const tracked = new Map<string, Tracked>();
      const events = await eventsOf(tx, id, upTo, range);
      const byEvents = events.users.map((user): Seen => {
        const hashId = hashOf(key, user.userId);
        tracked.set(hashId, user);
        return { hashId, at: user.at, last: 'event', number: user.number };
      });
      const decisions = await decisionsOf(tx, id, upTo, range);
      const outcomes = await outcomesOf(tx, id, range);
      const changed = query.active === 'true' ? [] : await profilesOf(tx, id, range, place);
      const seen = [...outcomes.users, ...byEvents, ...decisions.users, ...changed]
        .filter(({ at, hashId }) => place?.at !== at || hashId > place.hashId)
        .sort((a, b) => b.at - a.at || (a.hashId < b.hashId ? -1 : 1));
      const latest = new Map<string, Seen>();
      for (const each of seen)
        if (latest.size < MOST && !latest.has(each.hashId)) latest.set(each.hashId, each);
      const users = [...latest.values()];
      return {
        body: {
          users: await described(tx, cipher, id, users, tracked),
          active: await activeOf(tx, id, upTo, range),
          ...nextOf(users, [events.began, decisions.began, outcomes.began]),
        },
      };
    },
  },
});

/** Where a page begins: with those who were active before `until`, of `at` those with a later hashId. */
interface Place {
  readonly until: number;
  readonly at?: number;
  readonly hashId: string;
}

/** In place of a hashId: all of that time are on an earlier page. */
const ALL = 'all';

function placeOf(after: string): Place {
  const [at, hashId] = after.split('.') as [string, string];
  return hashId === ALL ? { until: Number(at), hashId } : { until: Number(at) + 1, at: Number(at), hashId };
}

/**
 * Where the next page begins: after the last user of a full one, and not before what was not looked at of the events and
 * decisions; `began` is when the first one was, of each of which there are more.
 */
function nextOf(users: readonly Seen[], began: readonly (number | undefined)[]): { readonly next?: string } {
  const last = users.length < MOST ? undefined : users.at(-1)!;
  const from = Math.max(...began.map((at) => at ?? 0));
  if (from > (last?.at ?? 0)) return { next: `${from}.${ALL}` };
  return last === undefined ? {} : { next: `${last.at}.${last.hashId}` };
}

/** The last positions of the logs within a range. */
interface Ends {
  readonly event: number;
  readonly decision: number;
}

async function endOf(
  tx: Tx,
  search: string,
  workspaceId: string,
  head: number,
  { until }: Between,
): Promise<number> {
  const [position] = await positionsAt(tx, search, { workspaceId, head, times: [until] });
  return position!;
}

/** How many users were active, of the latest entries of each kind. */
async function activeOf(tx: Tx, workspaceId: string, upTo: Ends, { from, until }: Between): Promise<object> {
  const [events, decisions, changes] = await pipeline([
    tx.sql.get<Counted>(
      `SELECT COUNT(DISTINCT user_id) AS users, COUNT(*) AS entries FROM (SELECT user_id, received_at FROM event
         WHERE workspace_id = ? AND number <= ? ORDER BY number DESC LIMIT ${COUNTED}) AS e
       WHERE received_at >= ?`,
      [workspaceId, upTo.event, from],
    ),
    tx.sql.get<Counted>(
      `SELECT COUNT(DISTINCT hash_id) AS users, COUNT(*) AS entries FROM (SELECT hash_id, at_ms FROM decision
         WHERE workspace_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ${COUNTED}) AS d
       WHERE at_ms >= ? AND hash_id <> ''`,
      [workspaceId, upTo.decision, from],
    ),
    tx.sql.get<Counted>(
      `SELECT COUNT(*) AS users, COUNT(*) AS entries FROM (SELECT updated_at FROM app_user
         WHERE workspace_id = ? AND updated_at >= ? AND updated_at < ? LIMIT ${COUNTED}) AS u`,
      [workspaceId, from, until],
    ),
  ]);
  return {
    byEvents: Number(events!.users),
    byDecisions: Number(decisions!.users),
    byChanges: Number(changes!.users),
    capped: [events, decisions, changes].some((each) => Number(each!.entries) >= COUNTED),
  };
}

/** Different users, and the entries that they are of. */
interface Counted {
  readonly users: number;
  readonly entries: number;
}

/** The users of the latest entries of a log; `began` is the time of the first of these, where there are more. */
interface Looked<T> {
  readonly users: readonly T[];
  readonly began: number | undefined;
}

async function eventsOf(
  tx: Tx,
  workspaceId: string,
  upTo: Ends,
  { from }: Between,
): Promise<Looked<Tracked>> {
  const rows = await tx.sql.all<Tracked & { began: number }>(
    `SELECT user_id AS "userId", MAX(received_at) AS at, MIN(received_at) AS began, COUNT(*) AS n,
       MAX(number) AS number
     FROM (SELECT user_id, received_at, number FROM event
       WHERE workspace_id = ? AND number <= ? ORDER BY number DESC LIMIT ${LATEST_EVENTS}) AS e
     WHERE received_at >= ? GROUP BY user_id`,
    [workspaceId, upTo.event, from],
  );
  const users = rows.map(({ userId, at, n, number }) => ({
    userId,
    at: Number(at),
    n: Number(n),
    number: Number(number),
  }));
  return { users, began: beganOf(rows, LATEST_EVENTS) };
}

/** When the first of the entries was, if they are as many as are looked at. */
function beganOf(rows: readonly { began: number; n: number }[], most: number): number | undefined {
  const entries = rows.reduce((sum, { n }) => sum + Number(n), 0);
  return entries < most ? undefined : Math.min(...rows.map(({ began }) => Number(began)));
}

async function decisionsOf(
  tx: Tx,
  workspaceId: string,
  upTo: Ends,
  { from }: Between,
): Promise<Looked<Seen>> {
  const latest = await tx.sql.all<{ hashId: string; at: number; contentId: string | null }>(
    `SELECT hash_id AS "hashId", at_ms AS at, content_id AS "contentId" FROM decision
     WHERE workspace_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ${LATEST_DECISIONS}`,
    [workspaceId, upTo.decision],
  );
  const rows = latest.filter(({ at }) => Number(at) >= from);
  const users = new Map<string, Seen>();
  for (const { hashId, at, contentId } of rows)
    if (hashId !== '' && !users.has(hashId))
      users.set(hashId, { hashId, at: Number(at), last: 'decision', contentId });
  const began = Math.min(...rows.map(({ at }) => Number(at)));
  return { users: [...users.values()], began: rows.length < LATEST_DECISIONS ? undefined : began };
}

/** The users of the latest outcomes of messages. */
async function outcomesOf(tx: Tx, workspaceId: string, { from, until }: Between): Promise<Looked<Seen>> {
  const rows = await tx.sql.all<{ hashId: string | null; at: number; type: string; id: string }>(
    `SELECT hash_id AS "hashId", at_ms AS at, type, id FROM outcome
     WHERE workspace_id = ? AND kind = 'message' AND at_ms >= ? AND at_ms < ?
     ORDER BY at_ms DESC LIMIT ${LATEST_OUTCOMES}`,
    [workspaceId, from, until],
  );
  const users = new Map<string, Seen>();
  for (const { hashId, at, ...outcome } of rows)
    if (hashId && !users.has(hashId)) users.set(hashId, { hashId, at: Number(at), last: 'outcome', outcome });
  return {
    users: [...users.values()],
    began: rows.length < LATEST_OUTCOMES ? undefined : Number(rows.at(-1)!.at),
  };
}

async function profilesOf(
  tx: Tx,
  workspaceId: string,
  { from, until }: Between,
  place: Place | undefined,
): Promise<Seen[]> {
  const rows = await tx.sql.all<{ hashId: string; at: number }>(
    `SELECT hash_id AS "hashId", updated_at AS at FROM app_user
     WHERE workspace_id = ? AND updated_at >= ? AND updated_at < ? AND (updated_at <> ? OR hash_id > ?)
     ORDER BY updated_at DESC, hash_id LIMIT ${MOST}`,
    [workspaceId, from, until, place?.at ?? -1, place?.hashId ?? ''],
  );
  return rows.map(({ hashId, at }) => ({ hashId, at: Number(at), last: 'profile' }));
}
