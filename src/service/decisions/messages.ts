import { ServiceError } from '../../contract/errors.ts';
import { definedFields } from '../../kit/defined-fields.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { placementOf } from '../catalog/placement.ts';
import { isClosed } from '../catalog/repeat.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { nextAfter, placeOf } from '../http/page-cursor.ts';
import type { Platform } from '../platform/platform.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { type DaySpan, dayAround } from '../users/contact-day.ts';
import { contacts } from '../users/store/contacts.ts';
import { users } from '../users/store/users.ts';
import { outcomeWrites, recordOutcome } from '../webhooks/store/outcomes.ts';
import { aboutOf } from './about.ts';
import { audienceOf } from './audience.ts';
import { removalOf } from './engine/eligibility.ts';
import type { GuardsInForce } from './goals/guards-in-force.ts';
import { rechecks } from './goals/store/rechecks.ts';
import { recordReward, startCounting } from './start-counting.ts';
import { contentCounts } from './store/content-counts.ts';
import { decisions } from './store/decisions.ts';
import { earnings } from './store/earnings.ts';
import { type CountedMessage, messages } from './store/messages.ts';
import { polls } from './store/polls.ts';
import { shownContents } from './store/shown-contents.ts';

/** What messages are checked and counted by. */
export interface MessageNeeds extends Pick<Platform, 'store' | 'cipher' | 'repeatable'> {
  readonly catalogs: Catalogs;
  readonly guards: GuardsInForce;
}

export const messageEndpoints = (needs: MessageNeeds): Endpoints => ({
  listMessages: {
    priority: 'interactive',
    unmarked: async ({ workspace, query }, read) => {
      if (await polls.findNothing(needs.store, workspace.id, query.hashId!, query.channel ?? ''))
        return { body: { messages: [] } };
      const body = await read((call) => servedBefore(call, needs));
      return body && { body };
    },
    handle: async (call) => ({ body: await serve(call, needs) }),
  },

  peekMessages: async (call) => {
    const { checked, next } = await pageOf(call, call.params.hashId!, needs);
    const messages = checked.flatMap(({ message, servedAt, suits }) =>
      suits
        ? [{ ...message, servedAt: servedAt === null ? null : new Date(Number(servedAt)).toISOString() }]
        : [],
    );
    return { body: { messages, ...next } };
  },

  /** Also accepted after the end of the message: the app may have shown it just before. */
  messageOutcome: {
    priority: 'interactive',
    concurrencyKeys: ({ params }) => outcomeWrites('message', params.decisionId!),
    handle: async ({ tx, workspace, onlyUser, params, body, requestId, trace, now }) => {
      const decision = await earnings.lockForUpdate(tx, workspace.id, params.decisionId!);
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
        about: aboutOf(decision),
        trace,
      });
      if (fresh) {
        const catalog = await needs.catalogs.of(tx, workspace.id);
        const counting = { catalog, repeatable: needs.repeatable };
        if (now < (decision.countedAt ?? now) + catalog.settings.rewardWindowMs)
          await recordReward({ tx, workspace }, counting, decision, body.type);
        if (catalog.goals.length > 0) await rechecks.mark(tx, workspace.id, decision.hashId);
        if (body.type !== 'opened')
          await decisions.setOutcome(tx, workspace.id, decision.decisionId, body.type);
        if (body.type === 'dismissed') await contentCounts.dismiss(tx, workspace.id, decision.decisionId);
        if (body.type === 'dismissed' || body.type === 'actioned')
          await shownContents.close(tx, workspace.id, decision.hashId, decision.contentId);
        if (body.type !== 'opened') await messages.remove(tx, workspace.id, decision.decisionId);
      }
      return { body: { requestId } };
    },
  },
});

/**
 * A page as `serve` serves it, where that changes nothing: each message suits the user, and was served before with a contact
 * of this day, or waits. Undefined where it changes something.
 */
async function servedBefore(call: Call<'listMessages'>, needs: MessageNeeds): Promise<object | undefined> {
  const { tx, workspace, query } = call;
  const hashId = query.hashId!;
  const [isNoted, { checked, next, day }] = await pipeline([
    polls.isNoted(tx, workspace.id, query.channel ?? ''),
    pageOf(call, hashId, needs),
  ]);
  if (!isNoted || checked.some(({ suits }) => !suits)) return undefined;
  const earlier = checked.some(({ contactAt }) => contactAt < day.start);
  const contactsToday = earlier ? await contacts.count(tx, workspace.id, hashId, day.start, day.end) : 0;
  const served = checked.filter((each) => !isOverCap(each, day, contactsToday));
  if (served.some(({ contactAt, servedAt }) => contactAt < day.start || servedAt === null)) return undefined;
  return { messages: served.map(({ message }) => message), ...next };
}

/** True if a message waits, as its contact would be one of this day above the cap of its decision. */
const isOverCap = (
  { contactAt, maxContacts }: Pick<CountedMessage, 'contactAt' | 'maxContacts'>,
  day: DaySpan,
  contactsToday: number,
) => contactAt < day.start && maxContacts !== null && contactsToday >= maxContacts;

/**
 * Serves a page of the messages that wait for a user. What no longer suits the user is withdrawn, and its contact is
 * released if it was never served. A message that is served for the first time counts from now on. One that was decided on
 * an earlier day, or served on one, is a contact of this day, within the cap of its decision, or waits. The user is locked
 * before a decision, as by a new decision, and the decision before its message, as an outcome does.
 */
async function serve(call: Call<'listMessages'>, needs: MessageNeeds): Promise<object> {
  const { tx, workspace, query } = call;
  const hashId = query.hashId!;
  await polls.seen(tx, workspace.id, query.channel ?? '');
  const { checked, next, day } = await pageOf(call, hashId, needs);
  let contactsToday = 0;
  if (checked.some(({ suits, contactAt }) => suits && contactAt < day.start)) {
    await contacts.lock(tx, workspace.id, hashId);
    contactsToday = await contacts.count(tx, workspace.id, hashId, day.start, day.end);
  }
  const served: object[] = [];
  for (const each of checked) {
    const { message, servedAt, suits } = each;
    const { decisionId, contentId } = message;
    if (suits && isOverCap(each, day, contactsToday)) continue;
    const decision =
      servedAt === null ? await earnings.lockForUpdate(tx, workspace.id, decisionId) : undefined;
    if (!suits) {
      await messages.remove(tx, workspace.id, decisionId);
      if (decision?.countedAt === null) {
        await contacts.release(tx, workspace.id, hashId, decisionId);
        await shownContents.takeBack(tx, workspace.id, { hashId, contentId, decisionId });
      }
      continue;
    }
    if (each.contactAt < day.start && (await messages.takeContact(tx, workspace.id, decisionId, day.start))) {
      await contacts.add(tx, workspace.id, hashId, 'decision', decisionId);
      contactsToday++;
    }
    if (servedAt === null) {
      // An outcome that came first has taken the message away.
      if (!(await messages.served(tx, workspace.id, decisionId))) continue;
      if (decision?.countedAt === null) {
        const counting = { catalog: await needs.catalogs.of(tx, workspace.id), repeatable: needs.repeatable };
        await startCounting({ tx, workspace }, counting, decision);
      }
    }
    served.push(message);
  }
  return { messages: served, ...next };
}

/** Of a page without messages, for which no day matters. */
const NO_DAY: DaySpan = { day: '', start: 0, end: 0 };

/**
 * Reads a page of the messages that wait for a user. Each is checked again: what left the catalog, no longer suits the
 * user or was dismissed or actioned elsewhere does not suit.
 */
async function pageOf(
  { tx, workspace, query, now }: Call,
  hashId: string,
  { catalogs, guards, cipher }: MessageNeeds,
) {
  const page = await messages.waiting(tx, workspace.id, hashId, query, placeOf(query.after));
  const last = page.rows.at(-1);
  const next = nextAfter(page, last && { at: last.at, id: last.decisionId });
  if (!last) return { checked: [], next, day: NO_DAY };
  const user = await users.find(tx, cipher, workspace.id, hashId);
  const day = dayAround(now, user?.timeZone ?? undefined);
  const catalog = await catalogs.of(tx, workspace.id);
  const { byId, repeats, settings } = catalog;
  const taken = (await guards.of(tx, workspace.id, catalog))?.contents;
  const inLocales = page.rows.filter(({ contentId }) => byId.get(contentId)?.locales.length);
  const [audience, shown, locales] = await pipeline([
    audienceOf(tx, workspace.id, user, now, catalogs),
    repeats ? shownContents.ofUser(tx, workspace.id, hashId) : undefined,
    decisions.localesOf(
      tx,
      workspace.id,
      inLocales.map(({ decisionId }) => decisionId),
    ),
  ]);
  const checked = page.rows.map(({ servedAt, at, contactAt, maxContacts, ...message }) => {
    const { decisionId, contentId, channel, surface } = message;
    const content = byId.get(contentId);
    const place = definedFields({
      channel: channel ?? undefined,
      surface: surface ?? undefined,
      locale: locales.get(decisionId),
    });
    const closed = isClosed(content?.repeat, shown?.get(contentId), now);
    // One that was decided later was chosen nevertheless, as there was no other.
    const out = (taken?.get(contentId)?.at ?? 0) > at && !placementOf(settings.placements, place);
    const suits = !!content && !closed && !out && !removalOf(content, place, audience, now);
    return { message, servedAt, suits, contactAt, maxContacts };
  });
  return { checked, next, day };
}
