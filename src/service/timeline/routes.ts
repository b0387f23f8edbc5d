import { ServiceError } from '../../contract/errors.ts';
import { CHANNELS, TIMELINE_KINDS, type TimelineKind } from '../../contract/schemas.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import { events } from '../events/store/events.ts';
import { userSignals } from '../events/store/user-signals.ts';
import { maskedProperties } from '../events/stream/frames.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { capPeriods, marketingVerdict } from '../notifications/rules/sending-rules.ts';
import { marketingSent } from '../notifications/store/sent.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import type { NumberedLog } from '../platform/store/retained-logs.ts';
import { removals } from '../platform/store/retention/removals.ts';
import { dayAround } from '../users/contact-day.ts';
import { consents } from '../users/store/consents.ts';
import { contacts } from '../users/store/contacts.ts';
import { type KnownUser, users } from '../users/store/users.ts';
import { type Part, type Tail, type TimelineRow, tailOf, timelines } from './store.ts';
import { mergeTimelines, type Position, type SourcePage } from './timeline.ts';

/** Default size of a page. */
const PAGE = 100;
/** The last time of a date, Unix ms: events may have a time of the future. */
const LAST_TIME = 8.64e15;
/** Longer properties, in bytes, are left out. */
const MAX_PROPERTIES = 4096;

/** Where a timeline continues: a position by kind, null for one that has ended, and the last event that is searched. */
interface Cursor {
  readonly positions: Readonly<Partial<Record<TimelineKind, Position | null>>>;
  /** The number of the newest event when the timeline was begun. */
  readonly upTo: number;
}

export const timelineEndpoints = (cipher: Cipher, catalogs: Catalogs): Endpoints => ({
  getUserTimeline: async (call) => {
    const { tx, workspace, params, query } = call;
    const hashId = params.hashId!;
    const kinds = TIMELINE_KINDS.filter((kind) => !query.kinds || query.kinds.split(',').includes(kind));
    const limit = query.limit === undefined ? PAGE : Number(query.limit);
    const until = query.until === undefined ? LAST_TIME : Date.parse(query.until);
    const after = query.after === undefined ? undefined : readCursor(query.after);
    const user = await users.find(tx, cipher, workspace.id, hashId);
    const { number, names } = await eventHeads.get(tx, workspace.id);
    const upTo = after?.upTo ?? number;
    const tail = tailOf(upTo);
    const pages: SourcePage<TimelineRow>[] = [];
    for (const kind of kinds) {
      const from = after ? after.positions[kind] : undefined;
      if (from === null || (after && from === undefined)) pages.push({ rows: [], more: false });
      else pages.push(await pageOf(call, kind, { from, until, limit }, { user, names, tail }));
    }
    const { entries, next } = mergeTimelines(pages, limit);
    const positions = Object.fromEntries(kinds.map((kind, i) => [kind, next[i]!]));
    const more = next.some((position) => position !== null);
    const numbers = entries.filter(({ kind }) => kind === 'event').map(({ id }) => Number(id));
    const properties = await events.propertiesOf(tx, workspace.id, numbers, MAX_PROPERTIES);
    return {
      body: {
        items: entries.map(({ at, key, ...entry }) => ({
          ...entry,
          ...(entry.kind === 'event' ? shownProperties(properties.get(Number(entry.id))) : {}),
          at: new Date(at).toISOString(),
        })),
        ...(after ? {} : await contactsOf(call, catalogs, hashId, user)),
        ...(after
          ? {}
          : { totals: await totalsOf(call, hashId, user, pages[kinds.indexOf('event')]?.rows.length) }),
        ...(after
          ? {}
          : {
              counts: kinds.map((kind, i) => ({ kind, count: pages[i]!.rows.length, more: pages[i]!.more })),
            }),
        ...(after || !kinds.includes('event')
          ? {}
          : {
              events: {
                counted: names,
                scannedSince: await timelines.tailSince(tx, workspace.id, tail),
              },
            }),
        ...(more ? { next: cursorText({ positions, upTo }) } : await removedOf(call, kinds)),
      },
    };
  },
});

/** The properties of an event, masked; of those that are too long, their size. */
function shownProperties(
  found: { readonly properties: string | null; readonly bytes: number } | undefined,
): Pick<TimelineRow, 'properties' | 'leftOut'> {
  if (found === undefined) return {};
  const { properties, bytes } = found;
  return properties === null ? { leftOut: bytes } : { properties: JSON.parse(maskedProperties(properties)) };
}

/** Since when the timeline is complete, of these kinds. */
async function removedOf({ tx, workspace }: Call, kinds: readonly TimelineKind[]): Promise<object> {
  const timeOf = async (log: NumberedLog) => {
    const removed = await removals.of(tx, workspace.id, log);
    return removed && new Date(removed.before).toISOString();
  };
  const decided = kinds.includes('decision') || kinds.includes('outcome');
  return {
    eventsRemovedBefore: kinds.includes('event') ? await timeOf('events') : undefined,
    decisionsRemovedBefore: decided ? await timeOf('decisions') : undefined,
  };
}

async function pageOf(
  { tx, workspace, params }: Call,
  kind: TimelineKind,
  part: Part,
  log: { readonly user: KnownUser | undefined; readonly names: readonly string[]; readonly tail: Tail },
): Promise<SourcePage<TimelineRow>> {
  if (kind !== 'event') return timelines[kind](tx, workspace.id, params.hashId!, part);
  const { user, names, tail } = log;
  if (!user) return { rows: [], more: false };
  return timelines.event(tx, workspace.id, user.userId, part, names, tail);
}

/** How much there is of the user, as the list of users says it: events are counted a moment later than they are `found`. */
async function totalsOf(
  { tx, workspace }: Call,
  hashId: string,
  user: KnownUser | undefined,
  found = 0,
): Promise<object> {
  const decisions = await contacts.decisionsOf(tx, workspace.id, [hashId]);
  const events = user && (await userSignals.totalsOf(tx, workspace.id, [user.userId])).get(user.userId);
  return { events: Math.max(events ?? 0, found), decisions: decisions.get(hashId) ?? 0 };
}

/** The contacts of the user, against each cap, and what marketing may be sent now. */
async function contactsOf(
  { tx, workspace, now }: Call,
  catalogs: Catalogs,
  hashId: string,
  user: KnownUser | undefined,
): Promise<object> {
  const { marketing } = (await catalogs.of(tx, workspace.id)).settings;
  const timeZone = user?.timeZone ?? marketing.timeZone;
  const ofDay = dayAround(now, user?.timeZone ?? undefined);
  const message = {
    workspaceId: workspace.id,
    hashId,
    notificationId: '',
    templateId: '',
    category: undefined,
  };
  const sent = await marketingSent.count(tx, message, capPeriods(now, timeZone));
  const statements = await consents.ofUser(tx, workspace.id, hashId);
  const capped = (used: number, cap: number | undefined, windowHours: number) =>
    cap === undefined ? [] : [{ of: 'marketing', used, cap, windowHours }];
  const { perDay, perWeek } = marketing.caps[0] ?? {};
  const full = perDay !== undefined && sent.all.day >= perDay;
  const dayEnd = new Date(dayAround(now, timeZone).end).toISOString();
  return {
    contacts: [
      {
        of: 'all',
        used: await contacts.count(tx, workspace.id, hashId, ofDay.start, ofDay.end),
        ...(await timelines.unreached(tx, workspace.id, hashId, ofDay)),
        cap: null,
        windowHours: 24,
      },
      ...capped(sent.all.day, perDay, 24).map((cap) => ({ ...cap, ...(full ? { nextFreeAt: dayEnd } : {}) })),
      ...capped(sent.all.week, perWeek, 7 * 24),
    ],
    marketing: CHANNELS.map((channel) => {
      const verdict = marketingVerdict(marketing, { now, channel, timeZone, statements, sent });
      return {
        channel,
        ...verdict,
        ...(verdict.verdict === 'hold' ? { until: new Date(verdict.until).toISOString() } : {}),
      };
    }),
  };
}

/** The `after` of the next page: opaque, and checked when it comes back. */
function cursorText({ positions, upTo }: Cursor): string {
  const packed = TIMELINE_KINDS.map((kind) => {
    const position = positions[kind];
    return position ? [position.at, position.id, position.inclusive ? 1 : 0] : null;
  });
  return Buffer.from(JSON.stringify([upTo, ...packed])).toString('base64url');
}

/** Throws invalid_request for a text that no page gave. */
function readCursor(text: string): Cursor {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw notACursor();
  }
  if (!Array.isArray(value) || value.length !== TIMELINE_KINDS.length + 1) throw notACursor();
  const [upTo, ...packed] = value as unknown[];
  if (!isCount(upTo)) throw notACursor();
  const positions = TIMELINE_KINDS.map((kind, i) => [kind, readPosition(kind, packed[i])] as const);
  return { upTo, positions: Object.fromEntries(positions) };
}

/** The order of decisions and of events is that of numbers. */
const NUMBERED: readonly TimelineKind[] = ['decision', 'event'];

function readPosition(kind: TimelineKind, packed: unknown): Position | null {
  if (packed === null) return null;
  if (!Array.isArray(packed) || packed.length !== 3) throw notACursor();
  const [at, id, inclusive] = packed as unknown[];
  const isTime = typeof at === 'number' && Number.isInteger(at) && Math.abs(at) <= LAST_TIME;
  if (!isTime || typeof id !== 'string' || (inclusive !== 0 && inclusive !== 1)) throw notACursor();
  const valid = NUMBERED.includes(kind)
    ? /^\d{1,15}$/.test(id)
    : /^[^\0]{1,600}$/.test(id) && id.isWellFormed();
  if (!valid) throw notACursor();
  return { at, id, inclusive: inclusive === 1 };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const notACursor = () =>
  new ServiceError('invalid_request', undefined, [
    { field: 'after', message: 'must be the `next` of the previous page' },
  ]);
