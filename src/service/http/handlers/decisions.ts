import { MAX_LOG_PAGE } from '../../../contract/schemas.ts';
import { decisions, type LogFilter, type LoggedDecision } from '../../store/decisions.ts';
import type { Handlers } from '../call.ts';

/** Decisions on a page unless the caller asks for fewer. */
const PAGE = MAX_LOG_PAGE;

/** A page ends once it has so many bytes; one decision is always on it. */
const PAGE_BYTES = 1024 * 1024;

/** Decisions read at a time, so that no more is read than a page holds. */
const PIECE = 100;

export const decisionLogHandlers: Handlers = {
  listDecisions: async ({ tx, workspace, query }) => {
    const most = query.limit === undefined ? PAGE : Number(query.limit);
    const newest = query.order === 'newest';
    const filter: LogFilter = {
      newest,
      hashId: query.hashId,
      contentId: query.contentId,
      since: query.since === undefined ? undefined : Date.parse(query.since),
      until: query.until === undefined ? undefined : Date.parse(query.until),
    };
    const page: object[] = [];
    let after = query.after === undefined ? undefined : Number(query.after);
    let bytes = 0;
    let more = true;
    while (more && page.length < most && bytes < PAGE_BYTES) {
      const size = Math.min(PIECE, most - page.length);
      const piece = await decisions.page(tx, workspace.id, { ...filter, after }, size);
      more = piece.length === size;
      for (const decision of piece) {
        const entry = entryOf(decision);
        bytes += Buffer.byteLength(JSON.stringify(entry));
        if (page.length > 0 && bytes > PAGE_BYTES) {
          more = true;
          break;
        }
        page.push(entry);
        after = decision.seq;
      }
    }
    return { body: { decisions: page, next: more ? String(after) : null } };
  },
};

function entryOf(decision: LoggedDecision): object {
  const { seq, at, prior, features, category, countedAt, others, ...entry } = decision;
  return { ...entry, ...(others === null ? {} : { others }), at: new Date(at).toISOString() };
}
