import { ServiceError } from '../../../contract/errors.ts';
import { rewardAfter } from '../../domain/decide/reward.ts';
import { decisions } from '../../store/decisions.ts';
import { messages } from '../../store/messages.ts';
import { recordOutcome } from '../../store/outcomes.ts';
import { polls } from '../../store/polls.ts';
import { rewards } from '../../store/rewards.ts';
import type { Tx } from '../../store/store.ts';
import type { Handlers } from '../call.ts';

export const messageHandlers: Handlers = {
  listMessages: async ({ tx, workspace, query }) => ({
    body: { messages: await serve(tx, workspace.id, query) },
  }),

  /** Also taken for a message whose day is over: the app may have shown it just before. */
  messageOutcome: async ({ tx, workspace, params, body, requestId, now, deps }) => {
    const decision = await decisions.hold(tx, workspace.id, params.decisionId!);
    if (!decision || decision.contentId === null)
      throw new ServiceError('not_found', 'There is no message of this decision.');
    const fresh = await recordOutcome(tx, {
      workspaceId: workspace.id,
      kind: 'message',
      id: decision.decisionId,
      type: body.type,
      hashId: decision.hashId,
      contentId: decision.contentId,
    });
    if (fresh) {
      const { rewardWindowMs } = deps.catalogue().settings;
      if (now < (decision.countedAt ?? now) + rewardWindowMs)
        await rewards.record(tx, workspace.id, decision, rewardAfter(decision.reward, body.type));
      if (body.type !== 'opened')
        await decisions.setOutcome(tx, workspace.id, decision.decisionId, body.type);
      if (body.type !== 'opened') await messages.remove(tx, workspace.id, decision.decisionId);
    }
    return { body: { requestId } };
  },
};

/** The messages of a poll. Those served for the first time count from now on: silence is an outcome. */
async function serve(tx: Tx, workspaceId: string, query: Readonly<Record<string, string>>) {
  await polls.seen(tx, workspaceId, '');
  const waiting = await messages.waiting(tx, workspaceId, query.hashId!);
  for (const { decisionId, servedAt } of waiting) {
    if (servedAt !== null) continue;
    await messages.served(tx, workspaceId, decisionId);
    const decision = await decisions.hold(tx, workspaceId, decisionId);
    if (decision?.reward === null) await rewards.record(tx, workspaceId, decision, 0);
  }
  return waiting.map(({ servedAt, ...message }) => message);
}
