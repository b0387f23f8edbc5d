import { ServiceError } from '../../../contract/errors.ts';
import { definedFields } from '../../../kit/defined-fields.ts';
import { removalOf } from '../../domain/decide/eligibility.ts';
import { isClosed } from '../../domain/decide/repeat.ts';
import { contentCounts } from '../../store/repositories/console/content-counts.ts';
import { contacts } from '../../store/repositories/contacts.ts';
import { decisions } from '../../store/repositories/decisions.ts';
import { messages } from '../../store/repositories/messages.ts';
import { recordOutcome } from '../../store/repositories/outcomes.ts';
import { polls } from '../../store/repositories/polls.ts';
import { shownContents } from '../../store/repositories/shown-contents.ts';
import { users } from '../../store/repositories/users.ts';
import { together } from '../../store/together.ts';
import { audienceOf } from '../audience.ts';
import type { Call, Handlers } from '../call.ts';
import { nextAfter, placeOf } from '../page-cursor.ts';
import { recordReward, startCounting } from '../start-counting.ts';

export const messageHandlers: Handlers = {
  listMessages: async (call) => ({ body: await serve(call) }),

  peekMessages: async (call) => {
    const { checked, next } = await pageOf(call, call.params.hashId!);
    const messages = checked.flatMap(({ message, servedAt, suits }) =>
      suits
        ? [{ ...message, servedAt: servedAt === null ? null : new Date(Number(servedAt)).toISOString() }]
        : [],
    );
    return { body: { messages, ...next } };
  },

  /** Also accepted after the day of the message: the app may have shown it just before midnight. */
  messageOutcome: async ({ tx, workspace, onlyUser, params, body, requestId, trace, now, deps }) => {
    const decision = await decisions.lockForUpdate(tx, workspace.id, params.decisionId!);
    const readable = onlyUser === undefined || decision?.hashId === onlyUser;
    if (!decision || !readable || decision.contentId === null)
      throw new ServiceError('not_found', 'This decision has no message.');
    const fresh = await recordOutcome(tx, {
      workspaceId: workspace.id,
      kind: 'message',
      id: decision.decisionId,
      type: body.type,
      hashId: decision.hashId,
      contentId: decision.contentId,
      trace,
    });
    if (fresh) {
      const { rewardWindowMs } = (await deps.catalogs.of(tx, workspace.id)).settings;
      if (now < (decision.countedAt ?? now) + rewardWindowMs)
        await recordReward({ tx, workspace, deps }, decision, body.type);
      if (body.type !== 'opened')
        await decisions.setOutcome(tx, workspace.id, decision.decisionId, body.type);
      if (body.type === 'dismissed') await contentCounts.dismiss(tx, workspace.id, decision.decisionId);
      if (body.type === 'dismissed' || body.type === 'actioned')
        await shownContents.close(tx, workspace.id, decision.hashId, decision.contentId);
      if (body.type !== 'opened') await messages.remove(tx, workspace.id, decision.decisionId);
    }
    return { body: { requestId } };
  },
};

/**
 * Serves a page of the messages that wait for a user. What no longer suits the user is withdrawn, and its contact is
 * released if it was never served. A message that is served for the first time counts from now on. The decision is
 * locked before its message, as an outcome does.
 */
async function serve(call: Call<'listMessages'>): Promise<object> {
  const { tx, workspace, query, deps } = call;
  const hashId = query.hashId!;
  await polls.seen(tx, workspace.id, query.channel ?? '');
  const { checked, next } = await pageOf(call, hashId);
  const served: object[] = [];
  for (const { message, servedAt, suits } of checked) {
    const { decisionId, contentId } = message;
    const decision =
      servedAt === null ? await decisions.lockForUpdate(tx, workspace.id, decisionId) : undefined;
    if (!suits) {
      await messages.remove(tx, workspace.id, decisionId);
      if (decision?.countedAt === null) {
        await contacts.release(tx, workspace.id, hashId, decisionId);
        await shownContents.takeBack(tx, workspace.id, { hashId, contentId, decisionId });
      }
      continue;
    }
    if (servedAt === null) {
      // An outcome that came first has taken the message away.
      if (!(await messages.served(tx, workspace.id, decisionId))) continue;
      if (decision?.countedAt === null) await startCounting({ tx, workspace, deps }, decision);
    }
    served.push(message);
  }
  return { messages: served, ...next };
}

/**
 * Reads a page of the messages that wait for a user. Each is checked again: what left the catalog, no longer suits the
 * user or was dismissed or actioned elsewhere does not suit.
 */
async function pageOf({ tx, workspace, query, now, deps }: Call, hashId: string) {
  const page = await messages.waiting(tx, workspace.id, hashId, query, placeOf(query.after));
  const last = page.rows.at(-1);
  const next = nextAfter(page, last && { at: last.at, id: last.decisionId });
  if (!last) return { checked: [], next };
  const { byId, repeats } = await deps.catalogs.of(tx, workspace.id);
  const user = await users.find(tx, deps.cipher, workspace.id, hashId);
  const inLocales = page.rows.filter(({ contentId }) => byId.get(contentId)?.locales.length);
  const [audience, shown, locales] = await together([
    audienceOf(tx, workspace.id, user, now, deps),
    repeats ? shownContents.ofUser(tx, workspace.id, hashId) : undefined,
    decisions.localesOf(
      tx,
      workspace.id,
      inLocales.map(({ decisionId }) => decisionId),
    ),
  ]);
  const checked = page.rows.map(({ servedAt, at, ...message }) => {
    const { decisionId, contentId, channel, surface } = message;
    const content = byId.get(contentId);
    const place = definedFields({
      channel: channel ?? undefined,
      surface: surface ?? undefined,
      locale: locales.get(decisionId),
    });
    const closed = isClosed(content?.repeat, shown?.get(contentId), now);
    return { message, servedAt, suits: !!content && !closed && !removalOf(content, place, audience, now) };
  });
  return { checked, next };
}
