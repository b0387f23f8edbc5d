import { CHANNELS, type DecideAnswer, type DecideRequest } from '../../contract/schemas.ts';
import { newId } from '../../kit/id.ts';
import { canonicalLocale } from '../../kit/locale.ts';
import { type Content, textIn } from '../catalog/content.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { EventSignals } from '../events/event-signals.ts';
import type { Call, Descriptor } from '../http/endpoint.ts';
import { explanationAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Platform } from '../platform/platform.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { dayAround, dayEndAfter } from '../users/contact-day.ts';
import { contacts } from '../users/store/contacts.ts';
import { type KnownUser, users } from '../users/store/users.ts';
import { audienceOf } from './audience.ts';
import type { DecisionSeed } from './decision-seed.ts';
import { alternativesOf, type Choice, decide } from './engine/decide.ts';
import type { Context } from './engine/features.ts';
import { logged } from './engine/log-entry.ts';
import type { GuardsInForce } from './goals/guards-in-force.ts';
import { rechecks } from './goals/store/rechecks.ts';
import type { LearnedModels } from './learned-models.ts';
import { startCounting } from './start-counting.ts';
import { decisions } from './store/decisions.ts';
import { earnings } from './store/earnings.ts';
import { messages } from './store/messages.ts';
import { polls } from './store/polls.ts';
import { shownContents } from './store/shown-contents.ts';

/** The type of an action that an app shows; one for a channel of notifications has the channel's name. */
const IN_APP = 'in-app-message';

/** Maximum number of alternatives in an answer. */
const ALTERNATIVES = 3;

/** Earlier messages of a user that weigh in a choice. */
const HISTORY = 30;

/** What a decision is made of. */
export interface DecideNeeds extends Pick<Platform, 'store' | 'cipher' | 'repeatable'> {
  readonly catalogs: Catalogs;
  readonly guards: GuardsInForce;
  readonly models: LearnedModels;
  readonly signals: EventSignals;
  readonly decisionSeed: DecisionSeed;
}

export const decideEndpoint = (needs: DecideNeeds): Descriptor<'decide'> => ({
  priority: 'interactive',
  pipelinedBegin: true,
  concurrencyKeys: ({ body }) => [{ key: `user ${body.hashId}` }],
  // Beside the look at the key, unless anybody could make this process read a model, or wait for a lost worker.
  prepare: (workspaceId, admitted) =>
    admitted || (!needs.store.workers && needs.models.holds(workspaceId))
      ? needs.models.follow(needs.store, workspaceId)
      : undefined,
  handle: async (call) => {
    const { tx, workspace, body } = call;
    const { cipher, catalogs, guards, models, decisionSeed, repeatable } = needs;
    const { hashId } = body;
    const { channel = null, surface = null } = placeOf(body.context ?? {});
    // The lock comes first: what is read after it does not change until the end of the transaction.
    const [nth, user, history, lastPoll] = await pipeline([
      contacts.lockForUpdate(tx, workspace.id, hashId),
      users.find(tx, cipher, workspace.id, hashId),
      decisions.history(tx, workspace.id, hashId, HISTORY),
      typeOf(channel) === IN_APP ? polls.last(tx, workspace.id, channel ?? '') : undefined,
    ]);
    // Known from here on: the transaction begins with these statements (app.ts).
    const { now } = call;
    const catalog = await catalogs.of(tx, workspace.id);
    const { explorationShare, holdout, placements, replaceWaiting, messageDays, pollLookBackMs } =
      catalog.settings;
    const polled = lastPoll !== undefined && lastPoll >= now - pollLookBackMs;
    const takenOut = await guards.of(tx, workspace.id, catalog);
    const model = await models.current(tx, workspace.id);
    const timeZone = user?.timeZone ?? undefined;
    const day = dayAround(now, timeZone);
    const seed = decisionSeed(workspace.id, hashId, nth);
    const context = contextOf(body, user);
    const maxDailyContacts = body.guardrails?.maxDailyContacts;
    if (catalog.repeats) await messages.purgeOf(tx, workspace.id, hashId);
    const [audience, events, contactsToday, shown] = await pipeline([
      audienceOf(tx, workspace.id, user, now, catalogs),
      eventsOf(call, user, needs.signals),
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
      takenOut,
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
    const { explanation, ...entry } = logged(choice);
    const record = {
      decisionId,
      hashId,
      context: placeOf(context),
      contentId: content?.contentId ?? null,
      ...entry,
      // Values of traits are nowhere in plain text; without the data key, there are none.
      explanation:
        explanation && cipher.usable
          ? cipher.seal(JSON.stringify(explanation), explanationAssociatedData(decisionId))
          : null,
      prior: content?.prior ?? null,
      features: choice.features,
      policy: choice.policy === 'learned' ? null : choice.policy,
      category: content?.category ?? null,
      attributes: content?.attributes ?? [],
      modelVersion: model.version,
      seed,
    };
    const place = { hashId, channel, surface };
    const shownInApp = content && type === IN_APP;
    /** The contact that the decision takes over; undefined if it takes its own. */
    const contactAt =
      shownInApp && replaceWaiting
        ? await replaceMessage(call, { ...place, decisionId }, content, day.start)
        : undefined;
    const counts = content !== undefined && !(polled && type === IN_APP);
    const written = [
      decisions.add(tx, workspace.id, record, counts && !repeatable),
      counts && repeatable && startCounting(call, { catalog, repeatable }, { ...record, reward: null }),
      counts && !repeatable && catalog.goals.length > 0 && rechecks.mark(tx, workspace.id, hashId),
      content?.repeat && shownContents.add(tx, workspace.id, hashId, content.contentId),
      content && contactAt === undefined && contacts.add(tx, workspace.id, hashId, 'decision', decisionId),
      shownInApp && messages.endEarlier(tx, workspace.id, place, day.start),
      shownInApp &&
        messages.add(
          tx,
          workspace.id,
          {
            ...place,
            decisionId,
            withdrawAt: dayEndAfter(now, messageDays - 1, timeZone),
            contactAt: contactAt ?? now,
            maxContacts: maxDailyContacts ?? null,
          },
          content,
          textIn(content, context.locale),
        ),
    ];
    // The reward log takes more than one statement.
    if (repeatable) await pipeline(written);
    else tx.deferUntilCommit(written);
    return {
      body: answerOf(decisionId, choice, (contentId) => typeOf(channel, catalog.byId.get(contentId))),
    };
  },
});

/**
 * Removes the waiting message of the same content and place, whose contact of the day since `dayStart` the new decision
 * keeps. Returns the time of that contact, Unix ms; undefined where there is none. The decision is locked before its message,
 * as an outcome does.
 */
async function replaceMessage(
  { tx, workspace }: Call<'decide'>,
  to: Parameters<typeof messages.find>[2] & { readonly decisionId: string },
  { contentId, repeat }: Content,
  dayStart: number,
): Promise<number | undefined> {
  const waiting = await messages.find(tx, workspace.id, to, contentId);
  if (!waiting || waiting.contactAt < dayStart) return undefined;
  const earlier = await earnings.lockForUpdate(tx, workspace.id, waiting.decisionId);
  // An outcome or a poll may have taken the message away before the lock.
  if (!(await messages.remove(tx, workspace.id, waiting.decisionId))) return undefined;
  // A contact that was confirmed stays with the decision that was served.
  if (earlier?.countedAt === null)
    await contacts.passOn(tx, workspace.id, to.hashId, waiting.decisionId, to.decisionId);
  if (earlier?.countedAt === null && repeat)
    await shownContents.release(tx, workspace.id, to.hashId, contentId);
  return waiting.contactAt;
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
async function eventsOf(
  { tx, workspace, now }: Call<'decide'>,
  user: KnownUser | undefined,
  signals: EventSignals,
) {
  if (!user) return [];
  const known = await signals.ofUser(tx, workspace.id, user.userId);
  return known.map(({ event, count, last }) => ({ event, count, age: Math.max(now - last, 0) }));
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
