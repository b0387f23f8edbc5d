import type { DecideAnswer, DecideRequest } from '../../../contract/schemas.ts';
import { newId } from '../../../kit/id.ts';
import { dayAround } from '../../domain/contact-day.ts';
import type { Audience } from '../../domain/decide/content.ts';
import { alternativesOf, type Choice, decide } from '../../domain/decide/decide.ts';
import type { Context } from '../../domain/decide/features.ts';
import { contacts } from '../../store/repositories/contacts.ts';
import { decisions } from '../../store/repositories/decisions.ts';
import { messages } from '../../store/repositories/messages.ts';
import { recentEvents } from '../../store/repositories/recent-events.ts';
import { type KnownUser, users } from '../../store/repositories/users.ts';
import type { Call, Handlers } from '../call.ts';

/** The type of every action. */
const ACTION = 'in-app-message';

/** Maximum number of alternatives in an answer. */
const ALTERNATIVES = 3;

const DAY_MS = 86_400_000;

export const decideHandlers: Handlers = {
  decide: async (call) => {
    const { tx, workspace, body, now, deps } = call;
    const { hashId } = body;
    const nth = await contacts.lockForUpdate(tx, workspace.id, hashId);
    const user = await users.find(tx, deps.cipher, workspace.id, hashId);
    const day = dayAround(now, user?.timeZone ?? undefined);
    const catalogue = deps.catalog();
    const model = await deps.models.current(tx, workspace.id);
    const seed = deps.decisionSeed(workspace.id, hashId, nth);
    const context = contextOf(body, user);
    const maxDailyContacts = body.guardrails?.maxDailyContacts;
    const choice = decide({
      contents: catalogue.contents,
      context,
      audience: await audienceOf(call, user),
      guardrails: {
        excludeCategories: body.guardrails?.excludeCategories ?? [],
        ...(maxDailyContacts === undefined ? {} : { maxDailyContacts }),
      },
      contactsToday:
        maxDailyContacts === undefined
          ? 0
          : await contacts.count(tx, workspace.id, hashId, day.start, day.end),
      model,
      seed,
      now,
    });
    const decisionId = newId('dec');
    const content = choice.chosen ? catalogue.byId.get(choice.chosen.contentId) : undefined;
    await decisions.add(tx, workspace.id, {
      decisionId,
      hashId,
      context,
      contentId: content?.contentId ?? null,
      candidates: choice.candidates,
      prior: content?.prior ?? null,
      modelVersion: model.version,
      seed,
    });
    if (content) {
      await contacts.add(tx, workspace.id, hashId, 'decision', decisionId);
      await messages.add(tx, workspace.id, { hashId, decisionId, withdrawAt: day.end }, content);
    }
    return { body: answerOf(decisionId, choice) };
  },
};

/** The context of a decision; the locale defaults to the user's. */
function contextOf({ context }: DecideRequest, user: KnownUser | undefined): Context {
  const locale = context?.locale ?? user?.locale;
  return {
    ...(context?.channel === undefined ? {} : { channel: context.channel }),
    ...(context?.surface === undefined ? {} : { surface: context.surface }),
    ...(locale === undefined || locale === null ? {} : { locale }),
  };
}

async function audienceOf(
  { tx, workspace, now, deps }: Call<'decide'>,
  user: KnownUser | undefined,
): Promise<Audience> {
  if (!user) return { traits: {}, events: new Map() };
  const windows = deps.catalog().windows.map(({ key, event, withinDays, enough }) => ({
    key,
    event,
    since: now - withinDays * DAY_MS,
    enough,
  }));
  return { traits: user.traits, events: await recentEvents.count(tx, workspace.id, user.userId, windows) };
}

/** The answer in the form of the specification, also for an action of type `none`. */
function answerOf(decisionId: string, choice: Choice): DecideAnswer {
  const { chosen, reason } = choice;
  if (!chosen) {
    return { decisionId, action: { type: 'none', contentId: null, ranking: 0, reason }, alternatives: [] };
  }
  return {
    decisionId,
    action: { type: ACTION, contentId: chosen.contentId, ranking: chosen.ranking, reason },
    alternatives: alternativesOf(choice, ALTERNATIVES).map(({ contentId, ranking }) => ({
      type: ACTION,
      contentId,
      ranking,
    })),
  };
}
