import { ServiceError } from '../../../contract/errors.ts';
import { MAX_LOG_PAGE } from '../../../contract/schemas.ts';
import { decisions, type LoggedDecision } from '../../store/repositories/decisions.ts';
import type { Handlers } from '../call.ts';

/** Default and maximum page size; pages with large decisions are shorter (store/pages.ts). */
const PAGE = MAX_LOG_PAGE;

export const decisionLogHandlers: Handlers = {
  listDecisions: async ({ tx, workspace, query }) => {
    const most = query.limit === undefined ? PAGE : Number(query.limit);
    const filter = {
      newest: query.order === 'newest',
      hashId: query.hashId,
      contentId: query.contentId,
      since: query.since === undefined ? undefined : Date.parse(query.since),
      until: query.until === undefined ? undefined : Date.parse(query.until),
      after: query.after === undefined ? undefined : Number(query.after),
    };
    const { rows, more } = await decisions.page(tx, workspace.id, filter, most);
    return { body: { decisions: rows.map(entryOf), next: more ? String(rows.at(-1)!.seq) : null } };
  },

  getDecision: async ({ tx, workspace, params }) => {
    const found = await decisions.get(tx, workspace.id, params.id!);
    if (!found) throw new ServiceError('not_found', 'No decision has this identifier.');
    return { body: entryOf(found) };
  },
};

/** A decision that counts has reward 0 until it has an outcome, even before the reward log has an entry. */
function entryOf(decision: LoggedDecision): object {
  const { seq, at, prior, features, category, countedAt, others, reward, policy, ...entry } = decision;
  return {
    ...entry,
    policy: policy ?? 'learned',
    reward: reward ?? (countedAt === null ? null : 0),
    ...(others === null ? {} : { others }),
    at: new Date(at).toISOString(),
  };
}
