import { CHANNELS, type MESSAGE_OUTCOMES, type MESSAGE_STATES } from '../../contract/schemas.ts';
import { type Content, isInTime } from '../catalog/content.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { listed } from '../platform/store/listed.ts';
import { conditionsOf } from '../platform/store/pages.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';
import { DECISION_BEFORE, newestDecision, positionsAt } from './store.ts';

/** Most messages of a page. */
const PAGE = 100;
/** Decisions among which those of a page are found, and among which those that chose a content: what it costs is bounded. */
const LOOKED = 2_000;
const LOOKED_FOR_CONTENTS = 20_000;

type Outcome = (typeof MESSAGE_OUTCOMES)[number];
type State = (typeof MESSAGE_STATES)[number];

/** A decision that chose a content; times are Unix ms. */
interface Row {
  readonly seq: number;
  readonly decisionId: string;
  readonly hashId: string;
  readonly contentId: string;
  readonly at: number;
  readonly context: string;
  readonly countedAt: number | null;
  /** The last of its outcomes but `opened`. */
  readonly outcome: Outcome | null;
}

/** What is stored of the messages of decisions, by decision. */
interface Stored {
  readonly outcomes: ReadonlyMap<string, readonly { readonly type: Outcome; readonly at: number }[]>;
  /** When those that have not ended were first served, Unix ms; null before. */
  readonly open: ReadonlyMap<string, number | null>;
}

/** The messages that decisions chose, newest first, whatever became of them. */
export const latestMessageEndpoints = (catalogs: Catalogs): Endpoints => ({
  listLatestMessages: {
    priority: 'page',
    handle: async ({ tx, workspace, query, now }) => {
      const { surface, state } = query;
      // Its cursor is the number of a decision, in the form that all have.
      const after = query.after === undefined ? undefined : Number(query.after.split('.')[0]);
      const most = surface || state ? LOOKED : PAGE;
      const { rows, began } = await decided(tx, workspace.id, query, { after, most });
      const shown = rows.map(({ context, ...row }) => ({ ...row, context: placeOf(context) }));
      const inApp = shown.filter(
        ({ context }) => !NOT_IN_APP.has(context.channel ?? '') && (!surface || context.surface === surface),
      );
      const stored = await storedOf(
        tx,
        workspace.id,
        inApp.map(({ decisionId }) => decisionId),
      );
      const { byId } = await catalogs.of(tx, workspace.id);
      const found = inApp
        .map((row) => ({ ...row, state: stateOf(row, stored, isServed(byId.get(row.contentId), now)) }))
        .filter((row) => !state || row.state === state);
      const page = found.slice(0, PAGE);
      const last = found.length > PAGE ? page.at(-1)!.seq : rows.length < most ? began : rows.at(-1)!.seq;
      return {
        body: {
          messages: page.map(({ seq, at, countedAt, outcome, ...row }) => ({
            ...row,
            at: iso(at),
            servedAt: servedAt({ at, countedAt }, stored.open.get(row.decisionId)),
            outcomes: (stored.outcomes.get(row.decisionId) ?? []).map((each) => ({
              type: each.type,
              at: iso(each.at),
            })),
          })),
          ...(last ? { next: `${last}.decision` } : {}),
        },
      };
    },
  },
});

const NOT_IN_APP: ReadonlySet<string> = new Set(CHANNELS);

const iso = (at: number) => new Date(Number(at)).toISOString();

const placeOf = (context: string) => JSON.parse(context) as Readonly<Record<string, string>>;

/** The next decisions that chose a content, newest first; `began` is the first of those looked at, where there are more. */
async function decided(
  tx: Tx,
  workspaceId: string,
  query: Readonly<Record<string, string>>,
  { after, most }: { readonly after: number | undefined; readonly most: number },
): Promise<{ readonly rows: readonly Row[]; readonly began: number | undefined }> {
  const { decisionId, hashId, contentId, since, until } = query;
  const range = [
    ['seq < ?', after],
    ['seq <= ?', until === undefined ? undefined : await numberBefore(tx, workspaceId, until)],
    ['seq > ?', since === undefined ? undefined : await numberBefore(tx, workspaceId, since)],
  ] as const;
  // Those of a user or a content have an index of their own.
  const began = (decisionId ?? hashId ?? contentId) ? undefined : await beganIn(tx, workspaceId, range);
  const { text, params } = conditionsOf([
    ...range,
    ['seq >= ?', began],
    ['decision_id = ?', decisionId],
    ['hash_id = ?', hashId],
    ['content_id = ?', contentId],
  ]);
  const rows = await tx.sql.all<Row>(
    `SELECT seq, decision_id AS "decisionId", hash_id AS "hashId", content_id AS "contentId", at_ms AS at, context,
       counted_at AS "countedAt", outcome
     FROM decision WHERE workspace_id = ? AND content_id IS NOT NULL${text} ORDER BY seq DESC LIMIT ?`,
    [workspaceId, ...params, most],
  );
  return { rows, began };
}

/** Of a range, the number of the first of the latest LOOKED_FOR_CONTENTS decisions, where there are more. */
async function beganIn(
  tx: Tx,
  workspaceId: string,
  range: Parameters<typeof conditionsOf>[0],
): Promise<number | undefined> {
  const { text, params } = conditionsOf(range);
  const row = await tx.sql.get<{ seq: number }>(
    `SELECT seq FROM decision WHERE workspace_id = ?${text} ORDER BY seq DESC LIMIT 1 OFFSET ${LOOKED_FOR_CONTENTS}`,
    [workspaceId, ...params],
  );
  return row && Number(row.seq);
}

/** The number of the last decision before a time. */
async function numberBefore(tx: Tx, workspaceId: string, time: string): Promise<number> {
  const head = await newestDecision(tx, workspaceId);
  const [position] = await positionsAt(tx, DECISION_BEFORE, { workspaceId, head, times: [Date.parse(time)] });
  return position!;
}

async function storedOf(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Stored> {
  const byId = listed(tx.sql.dialect, 'id', ids);
  const byDecision = listed(tx.sql.dialect, 'decision_id', ids);
  const [reported, waiting] = await pipeline([
    tx.sql.all<{ id: string; type: Outcome; at: number }>(
      `SELECT id, type, at_ms AS at FROM outcome
       WHERE workspace_id = ? AND kind = 'message' AND ${byId.text}`,
      [workspaceId, byId.param],
    ),
    tx.sql.all<{ id: string; servedAt: number | null }>(
      `SELECT decision_id AS id, served_at AS "servedAt" FROM message
       WHERE workspace_id = ? AND ${byDecision.text} AND +withdraw_at > ?`,
      [workspaceId, byDecision.param, tx.now],
    ),
  ]);
  const outcomes = new Map<string, { type: Outcome; at: number }[]>();
  // Sorted here: SQLite would read all of the workspace by an index that has their order.
  reported.sort((a, b) => Number(a.at) - Number(b.at) || (a.type < b.type ? -1 : 1));
  for (const { id, ...each } of reported) outcomes.set(id, [...(outcomes.get(id) ?? []), each]);
  return { outcomes, open: new Map(waiting.map(({ id, servedAt }) => [id, servedAt])) };
}

/** False for a content whose messages are withdrawn as an app asks for them. */
const isServed = (content: Content | undefined, now: number): boolean =>
  content !== undefined && !content.paused && isInTime(content, now);

function stateOf(
  { decisionId, outcome }: Pick<Row, 'decisionId' | 'outcome'>,
  stored: Stored,
  isServed: boolean,
): State {
  if (outcome !== null) return outcome === 'dismissed' ? 'dismissed' : 'tapped';
  const served = stored.open.get(decisionId);
  if (served === undefined || !isServed) return 'ended';
  if (stored.outcomes.has(decisionId)) return 'opened';
  return served === null ? 'waiting' : 'served';
}

/** What of a decision counts from the moment on in which it is made was not served: its channel is not polled. */
function servedAt(
  { at, countedAt }: Pick<Row, 'at' | 'countedAt'>,
  served: number | null | undefined,
): string | null {
  const counted = countedAt !== null && Number(countedAt) > Number(at) ? countedAt : null;
  const first = served ?? counted;
  return first === null ? null : iso(first);
}
