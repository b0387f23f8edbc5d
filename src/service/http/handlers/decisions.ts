import { MAX_LOG_PAGE } from '../../../contract/schemas.ts';
import { decisions } from '../../store/repositories/decisions.ts';
import type { Handlers } from '../call.ts';

/** Default and maximum page size; pages with large decisions are shorter (store/pages.ts). */
const PAGE = MAX_LOG_PAGE;

export const decisionLogHandlers: Handlers = {
  listDecisions: async ({ tx, workspace, query }) => {
    const most = query.limit === undefined ? PAGE : Number(query.limit);
    const { rows, more } = await decisions.after(tx, workspace.id, Number(query.after ?? 0), most);
    return {
      body: {
        decisions: rows.map(({ seq, at, prior, ...decision }) => ({
          ...decision,
          at: new Date(at).toISOString(),
        })),
        next: more ? String(rows.at(-1)!.seq) : null,
      },
    };
  },
};
