import { CHANNELS, type DecideAnswer, type DecideRequest } from '../../../contract/schemas.ts';
import { newId } from '../../../kit/id.ts';
import { canonicalLocale } from '../../../kit/locale.ts';
import { dayAround } from '../../domain/contact-day.ts';
import type { Content } from '../../domain/decide/content.ts';
import { alternativesOf, type Choice, decide } from '../../domain/decide/decide.ts';
import type { Context } from '../../domain/decide/features.ts';
import { logged } from '../../domain/decide/log-entry.ts';
import { contacts } from '../../store/repositories/contacts.ts';
import { decisions } from '../../store/repositories/decisions.ts';
import { messages } from '../../store/repositories/messages.ts';
import { polls } from '../../store/repositories/polls.ts';
import { shownContents } from '../../store/repositories/shown-contents.ts';
import { type KnownUser, users } from '../../store/repositories/users.ts';
import { together } from '../../store/together.ts';
import { audienceOf } from '../audience.ts';
import type { Call, Handlers } from '../call.ts';
import { startCounting } from '../start-counting.ts';

/** The type of an action that an app shows; one for a channel of notifications has the channel's name. */
const IN_APP = 'in-app-message';

/** Maximum number of alternatives in an answer. */
const ALTERNATIVES = 3;

/** Earlier messages of a user that weigh in a choice. */
const HISTORY = 30;

export const decideHandlers: Handlers = {
  decide: async (call) => {
    const { tx, workspace, body, deps } = call;
    const { hashId } = body;
    const { channel = null, surface = null } = placeOf(body.context ?? {});
    // The lock comes first: what is read after it does not change until the end of the transaction.
    const [nth, user, history, lastPoll] = await together([
      contacts.lockForUpdate(tx, workspace.id, hashId),
      users.find(tx, deps.cipher, workspace.id, hashId),
      decisions.history(tx, workspace.id, hashId, HISTORY),
      typeOf(channel) === IN_APP ? polls.last(tx, workspace.id, channel ?? '') : undefined,
    ]);
    // Known from here on: the transaction begins with these statements (app.ts).
    const { now } = call;
    const catalog = await deps.catalogs.of(tx, workspace.id);
    const { explorationShare, holdout, placements, replaceWaiting, pollLookBackMs } = catalog.settings;
    const polled = lastPoll !== undefined && lastPoll >= now - pollLookBackMs;
    const model = await deps.models.current(tx, workspace.id);
    const day = dayAround(now, user?.timeZone ?? undefined);
    const seed = deps.decisionSeed(workspace.id, hashId, nth);
    const context = contextOf(body, user);
    const maxDailyContacts = body.guardrails?.maxDailyContacts;
    if (catalog.repeats) await messages.purgeOf(tx, workspace.id, hashId);
    const [audience, events, contactsToday, shown] = await together([
      audienceOf(tx, workspace.id, user, now, deps),
      eventsOf(call, user),
      maxDailyContacts === undefined ? 0 : contacts.count(tx, workspace.id, hashId, day.start, day.end),
      catalog.repeats ? shownContents.ofUser(tx, workspace.id, hashId) : undefined,
    ]);
    const choice = decide({
      contents: catalog.contents,
      context,
      audience,
      person: { traits: user?.traits ?? {}, events, history },
      user: hashId,
      guardrails: {
        excludeCategories: body.guardrails?.excludeCategories ?? [],
        ...(maxDailyContacts === undefined ? {} : { maxDailyContacts }),
      },
      contactsToday,
      ...(shown ? { shown } : {}),
      explorationShare,
      holdout,
      placements,
      model,
      seed,
      now,
    });
    const decisionId = newId('dec');
    const content = choice.chosen ? catalog.byId.get(choice.chosen.contentId) : undefined;
    const type = typeOf(channel, content);
    const record = {
      decisionId,
      hashId,
      context: placeOf(context),
      contentId: content?.contentId ?? null,
      ...logged(choice),
      prior: content?.prior ?? null,
      features: choice.features,
      policy: choice.policy === 'learned' ? null : choice.policy,
      category: content?.category ?? null,
      attributes: content?.attributes ?? [],
      modelVersion: model.version,
      seed,
    };
    const to = { hashId, decisionId, withdrawAt: day.end, channel, surface };
    const replaces =
      content && replaceWaiting && type === IN_APP && (await replaceMessage(call, to, content));
    const counts = content !== undefined && !(polled && type === IN_APP);
    const written = [
      decisions.add(tx, workspace.id, record, counts && !deps.repeatable),
      counts && deps.repeatable && startCounting(call, { ...record, reward: null }),
      content?.repeat && shownContents.add(tx, workspace.id, hashId, content.contentId),
      content && !replaces && contacts.add(tx, workspace.id, hashId, 'decision', decisionId),
      content && type === IN_APP && messages.add(tx, workspace.id, to, content),
    ];
    // The reward log takes more than one statement.
    if (deps.repeatable) await together(written);
    else tx.withCommit(written);
    return {
      body: answerOf(decisionId, choice, (contentId) => typeOf(channel, catalog.byId.get(contentId))),
    };
  },
};

/**
 * Removes the waiting message of the same content and place, whose contact the new decision keeps. Returns false where
 * there is none. The decision is locked before its message, as an outcome does.
 */
async function replaceMessage(
  { tx, workspace }: Call<'decide'>,
  to: Parameters<typeof messages.add>[2],
  { contentId, repeat }: Content,
): Promise<boolean> {
  const waiting = await messages.find(tx, workspace.id, to, contentId);
  if (!waiting) return false;
  const earlier = await decisions.lockForUpdate(tx, workspace.id, waiting);
  // An outcome or a poll may have taken the message away before the lock.
  if (!(await messages.remove(tx, workspace.id, waiting))) return false;
  // A contact that was confirmed stays with the decision that was served.
  if (earlier?.countedAt === null) await contacts.passOn(tx, workspace.id, to.hashId, waiting, to.decisionId);
  if (earlier?.countedAt === null && repeat)
    await shownContents.release(tx, workspace.id, to.hashId, contentId);
  return true;
}

/** The context of a decision; the locale defaults to the user's. */
function contextOf({ context }: DecideRequest, user: KnownUser | undefined): Context {
  const locale = context?.locale ?? user?.locale;
  return {
    ...context,
    ...(locale === undefined || locale === null ? {} : { locale: canonicalLocale(locale) }),
  } as Context;
}

/**
 * Actions for a channel of notifications are no card of an app, and their type says what they are. Where the request
 * names no channel, that is the first channel of a content that is for such channels only.
 */
function typeOf(channel: string | null, content?: Content): string {
  const channels = channel === null ? (content?.channels ?? []) : [channel];
  const known = channels.map((each) => CHANNELS.find((name) => name === each));
  return known.every((each) => each !== undefined) ? (known[0] ?? IN_APP) : IN_APP;
}

/** The part of a context that the log stores: the place. Other fields may hold personal data. */
function placeOf({ channel, surface, locale }: Context): Record<string, string> {
  const place = { channel, surface, locale };
  return Object.fromEntries(
    Object.entries(place).flatMap(([field, value]) => (value === undefined ? [] : [[field, String(value)]])),
  );
}

/** How often the frequent events happened to the user, and how long ago. */
async function eventsOf({ tx, workspace, now, deps }: Call<'decide'>, user: KnownUser | undefined) {
  if (!user) return [];
  const signals = await deps.signals.ofUser(tx, workspace.id, user.userId);
  return signals.map(({ event, count, last }) => ({ event, count, age: Math.max(now - last, 0) }));
}

/** The answer's shape is the specification's, for an action of type `none` too. */
function answerOf(
  decisionId: string,
  choice: Choice,
  typeOfContent: (contentId: string) => string,
): DecideAnswer {
  const { chosen, reason } = choice;
  if (!chosen) {
    return { decisionId, action: { type: 'none', contentId: '', ranking: 0, reason }, alternatives: [] };
  }
  return {
    decisionId,
    action: {
      type: typeOfContent(chosen.contentId),
      contentId: chosen.contentId,
      ranking: chosen.ranking,
      reason,
    },
    alternatives: alternativesOf(choice, ALTERNATIVES).map(({ contentId, ranking }) => ({
      type: typeOfContent(contentId),
      contentId,
      ranking,
    })),
  };
}
