import { ServiceError } from '../../../contract/errors.ts';
import { rewardAfter } from '../../domain/decide/reward.ts';
import { decisions } from '../../store/repositories/decisions.ts';
import { messages } from '../../store/repositories/messages.ts';
import { recordOutcome } from '../../store/repositories/outcomes.ts';
import { rewards } from '../../store/repositories/rewards.ts';
import type { Handlers } from '../call.ts';
import { nextAfter, placeOf } from '../page-cursor.ts';

export const messageHandlers: Handlers = {
  listMessages: async ({ tx, workspace, query }) => {
    const page = await messages.waiting(tx, workspace.id, query.hashId!, placeOf(query.after));
    const last = page.rows.at(-1);
    const next = nextAfter(page, last && { at: last.at, id: last.decisionId });
    return { body: { messages: page.rows.map(({ at, ...message }) => message), ...next } };
  },

  /** Also accepted after the day of the message: the app may have shown it just before midnight. */
  messageOutcome: async ({ tx, workspace, params, body, requestId }) => {
    const decision = await decisions.lockForUpdate(tx, workspace.id, params.decisionId!);
    if (!decision || decision.contentId === null)
      throw new ServiceError('not_found', 'This decision has no message.');
    const fresh = await recordOutcome(tx, {
      workspaceId: workspace.id,
      kind: 'message',
      id: decision.decisionId,
      type: body.type,
      hashId: decision.hashId,
      contentId: decision.contentId,
    });
    if (fresh) {
      await rewards.record(tx, workspace.id, decision, rewardAfter(decision.reward, body.type));
      if (body.type !== 'opened') await messages.remove(tx, workspace.id, decision.decisionId);
    }
    return { body: { requestId } };
  },
};
