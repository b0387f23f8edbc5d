import { ServiceError } from '../../contract/errors.ts';
import { MAX_LOG_PAGE } from '../../contract/schemas.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { explanationAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { type Removal, removals } from '../platform/store/retention/removals.ts';
import type { Tx } from '../platform/store/store.ts';
import { countedGoals } from './goals/formula.ts';
import { goalValue, type NumberedGoal } from './goals/rules/learned-reward.ts';
import { definitions } from './goals/store/definitions.ts';
import type { LoggedDecision } from './store/decision-record.ts';
import { decisions, type LogFilter } from './store/decisions.ts';

/** Default and maximum page size; pages with large decisions are shorter (store/pages.ts). */
const PAGE = MAX_LOG_PAGE;

export const decisionLogEndpoints = (catalogs: Catalogs, cipher: Cipher): Endpoints => ({
  listDecisions: {
    priority: 'page',
    handle: async ({ tx, workspace, query }) => {
      const limit = query.limit === undefined ? PAGE : Number(query.limit);
      const filter = {
        newest: query.order === 'newest',
        hashId: query.hashId,
        contentId: query.contentId,
        since: query.since === undefined ? undefined : Date.parse(query.since),
        until: query.until === undefined ? undefined : Date.parse(query.until),
        after: query.after === undefined ? undefined : Number(query.after),
      };
      const { rows, more } = await decisions.page(tx, workspace.id, filter, limit);
      const removed = await removals.of(tx, workspace.id, 'decisions');
      const counted = await goalsOf(tx, workspace.id, catalogs);
      return {
        body: {
          decisions: rows.map((row) => entryOf(row, counted, cipher)),
          next: more ? String(rows.at(-1)!.seq) : null,
          ...(removed && reaches(filter, more, removed) ? { removedBefore: timeOf(removed) } : {}),
        },
      };
    },
  },

  getDecision: async ({ tx, workspace, params }) => {
    const found = await decisions.get(tx, workspace.id, params.id!);
    if (found) return { body: entryOf(found, await goalsOf(tx, workspace.id, catalogs), cipher) };
    const removed = await removals.of(tx, workspace.id, 'decisions');
    const why = removed ? ` Decisions from before ${timeOf(removed)} were removed.` : '';
    throw new ServiceError('not_found', `No decision has this identifier.${why}`);
  },
});

async function goalsOf(tx: Tx, workspaceId: string, catalogs: Catalogs): Promise<readonly NumberedGoal[]> {
  const catalog = await catalogs.of(tx, workspaceId);
  return catalog.goals.length === 0 ? [] : countedGoals(catalog, await definitions.all(tx, workspaceId));
}

const timeOf = ({ before }: Removal) => new Date(before).toISOString();

/** True if a page reaches the part of the log that was removed. `more`: other pages follow it. */
function reaches({ newest, after, since }: LogFilter, more: boolean, { number, before }: Removal): boolean {
  if (since !== undefined && since >= before) return false;
  return newest ? !more : after === undefined || after < number;
}

/** A decision that counts has reward 0 until it has an outcome, even before the reward log has an entry. */
function entryOf(decision: LoggedDecision, counted: readonly NumberedGoal[], cipher: Cipher): object {
  const {
    seq,
    at,
    prior,
    features,
    category,
    countedAt,
    others,
    reward,
    policy,
    reason,
    explanation,
    removed,
    goals,
    given,
    ...entry
  } = decision;
  const values = counted.flatMap((goal) => {
    const value = goalValue({ goals, given }, goal);
    return value > 0 ? [[goal.goalId, value] as const] : [];
  });
  return {
    ...entry,
    policy: policy ?? 'learned',
    reward: reward ?? (countedAt === null ? null : 0),
    ...(values.length === 0 ? {} : { goals: Object.fromEntries(values) }),
    ...(others === null ? {} : { others }),
    ...(reason === null ? {} : { reason }),
    ...(explanation === null || !cipher.usable
      ? {}
      : { explanation: JSON.parse(cipher.open(explanation, explanationAssociatedData(entry.decisionId))) }),
    ...(removed === null ? {} : { removed }),
    at: new Date(at).toISOString(),
  };
}
