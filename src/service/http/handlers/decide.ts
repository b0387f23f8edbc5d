import type { DecideAnswer, DecideRequest } from '../../../contract/schemas.ts';
import { newId } from '../../../kit/id.ts';
import { dayAround } from '../../domain/contact-day.ts';
import type { Audience } from '../../domain/decide/content.ts';
import { alternativesOf, type Choice, decide } from '../../domain/decide/decide.ts';
import type { Context } from '../../domain/decide/features.ts';
import { contacts } from '../../store/contacts.ts';
import { decisions } from '../../store/decisions.ts';
import { messages } from '../../store/messages.ts';
import { polls } from '../../store/polls.ts';
import { recentEvents } from '../../store/recent-events.ts';
import { rewards } from '../../store/rewards.ts';
import { type KnownUser, users } from '../../store/users.ts';
import type { Call, Handlers } from '../call.ts';

/** The only type of action there is. */
const ACTION = 'in-app-message';

/** Most runners-up in an answer. */
const ALTERNATIVES = 3;

/** Earlier messages of a user that weigh in a choice. */
const HISTORY = 30;

const DAY_MS = 86_400_000;

export const decideHandlers: Handlers = {
  decide: async (call) => {
    const { tx, workspace, body, now, deps } = call;
    const { hashId } = body;
    const nth = await contacts.hold(tx, workspace.id, hashId);
    const user = await users.find(tx, deps.cipher, workspace.id, hashId);
    const day = dayAround(now, user?.timeZone ?? undefined);
    const catalogue = deps.catalogue();
    const model = await deps.models.current(tx, workspace.id);
    const seed = deps.decisionSeed(workspace.id, hashId, nth);
    const context = contextOf(body, user);
    const history = await decisions.history(tx, workspace.id, hashId, HISTORY);
    const maxDailyContacts = body.guardrails?.maxDailyContacts;
    const choice = decide({
      contents: catalogue.contents,
      context,
      audience: await audienceOf(call, user),
      person: { traits: user?.traits ?? {}, events: await eventsOf(call, user), history },
      user: hashId,
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
    const record = {
      decisionId,
      hashId,
      context: placeOf(context),
      contentId: content?.contentId ?? null,
      candidates: choice.candidates,
      prior: content?.prior ?? null,
      features: choice.features,
      category: content?.category ?? null,
      modelVersion: model.version,
      seed,
    };
    await decisions.add(tx, workspace.id, record);
    if (content) {
      const since = now - catalogue.settings.pollLookBackMs;
      if (!(await polls.since(tx, workspace.id, String(context.channel ?? ''), since)))
        await rewards.record(tx, workspace.id, { ...record, reward: null }, 0);
      await contacts.add(tx, workspace.id, hashId, 'decision', decisionId);
      await messages.add(tx, workspace.id, { hashId, decisionId, withdrawAt: day.end }, content);
    }
    return { body: answerOf(decisionId, choice) };
  },
};

/** Where the action will appear; a locale that the caller leaves out is the user's own. */
function contextOf({ context }: DecideRequest, user: KnownUser | undefined): Context {
  const locale = context?.locale ?? user?.locale;
  return { ...context, ...(locale === undefined || locale === null ? {} : { locale }) } as Context;
}

/** What the log keeps of a context: the place. Other fields may hold what a person would not want kept. */
function placeOf({ channel, surface, locale }: Context): Record<string, string> {
  const place = { channel, surface, locale };
  return Object.fromEntries(
    Object.entries(place).flatMap(([field, value]) => (value === undefined ? [] : [[field, String(value)]])),
  );
}

async function audienceOf(
  { tx, workspace, now, deps }: Call<'decide'>,
  user: KnownUser | undefined,
): Promise<Audience> {
  const { events, lookBackDays } = deps.catalogue();
  if (!user) return { traits: {}, events: new Map() };
  if (events.size === 0) return { traits: user.traits, events: new Map() };
  const since = now - lookBackDays * DAY_MS;
  return { traits: user.traits, events: await recentEvents.ofUser(tx, workspace.id, user.userId, since) };
}

/** How often the frequent events happened to the user, and how long ago. */
async function eventsOf({ tx, workspace, now, deps }: Call<'decide'>, user: KnownUser | undefined) {
  if (!user) return [];
  const signals = await deps.signals.ofUser(tx, workspace.id, user.userId);
  return signals.map(({ event, count, last }) => ({ event, count, age: Math.max(now - last, 0) }));
}

/** The answer's shape is the specification's, for an action of type `none` too. */
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
