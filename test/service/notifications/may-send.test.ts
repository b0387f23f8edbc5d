import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { type Catalog, toCatalog } from '../../../src/service/catalog/catalog.ts';
import type { Catalogs } from '../../../src/service/catalog/follow.ts';
import { maySend } from '../../../src/service/notifications/may-send.ts';
import { notificationClaims } from '../../../src/service/notifications/store/notification-claims.ts';
import { notifications } from '../../../src/service/notifications/store/notifications.ts';
import { createCipher } from '../../../src/service/platform/crypto/cipher.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { consents } from '../../../src/service/users/store/consents.ts';
import { users } from '../../../src/service/users/store/users.ts';
import { tempDir } from '../../support/temp.ts';

const MINUTE = 60_000;
const WORKSPACE = 'ws';
/** A power failure is not tested here. */
const LAZY = { durable: false };
const CHANNELS = ['sms', 'email'] as const;
/** Zones with a clock change within the simulated days, an hour or half of one, and two without. */
const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York', 'Asia/Kathmandu', 'UTC'];
const STARTS = [
  '2026-03-06T18:00:00Z',
  '2026-03-27T18:00:00Z',
  '2026-10-23T18:00:00Z',
  '2026-04-03T10:00:00Z',
];

const time = fc
  .integer({ min: 0, max: 95 })
  .map((n) => `${String(n >> 2).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`);
const quietHours = fc.record({ from: time, until: time }).filter(({ from, until }) => {
  const [a, b] = [minutes(from), minutes(until)];
  return (a - b + 1440) % 1440 >= 60;
});
const cap = fc.record({ perDay: fc.integer({ min: 1, max: 3 }), perWeek: fc.integer({ min: 1, max: 4 }) });
const rules = fc.record({
  quietHours: fc.option(quietHours, { nil: undefined }),
  cap: fc.option(cap, { nil: undefined }),
  requireOptIn: fc.boolean(),
  newsCap: fc.option(cap, { nil: undefined }),
});
const scope = fc.record({
  channel: fc.constantFrom(null, ...CHANNELS),
  category: fc.constantFrom(null, 'news', 'offers'),
});
const user = fc.integer({ min: 0, max: ZONES.length - 1 });
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('trigger' as const),
      user,
      channel: fc.constantFrom(...CHANNELS),
      template: fc.constantFrom('news', 'offers', 'plain', 'receipt'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('consent' as const),
      user,
      scope,
      state: fc.constantFrom('in' as const, 'out' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      ms: fc.integer({ min: 1, max: 9 * 60 }).map((n) => n * MINUTE),
    }),
  },
);

function minutes(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

/** Day and time of day in a zone, by another way than the service. */
function localOf(at: number, timeZone: string) {
  const text = new Date(at).toLocaleString('sv-SE', { timeZone });
  return { day: text.slice(0, 10), minute: minutes(text.slice(11, 16)) };
}

/** What users said, as a list in which the last word about a scope counts, and a wider one ends the narrower ones. */
class Said {
  #all: { channel: string | null; category: string | null; state: 'in' | 'out' }[] = [];
  add(made: { channel: string | null; category: string | null; state: 'in' | 'out' }) {
    this.#all = this.#all.filter(
      ({ channel, category }) =>
        !(
          (made.channel === null || channel === made.channel) &&
          (made.category === null || category === made.category)
        ),
    );
    this.#all.push(made);
  }
  about(channel: string, category: string | null): 'in' | 'out' | undefined {
    const matching = this.#all.filter(
      (each) =>
        (each.channel ?? channel) === channel && (each.category === null || each.category === category),
    );
    const width = (each: { channel: unknown; category: unknown }) =>
      Number(each.channel === null) + Number(each.category === null);
    const narrowest = Math.min(...matching.map(width));
    const deciding = matching.filter((each) => width(each) === narrowest).map(({ state }) => state);
    return deciding.includes('out') ? 'out' : deciding[0];
  }
}

test('nothing is ever sent that consent, quiet hours or a cap forbid, whatever the zones, clocks and nodes', async () => {
  let now = 0;
  const clock = { now: () => now, sleep: () => new Promise<void>(() => {}) };
  const file = join(tempDir(), 'data.db');
  const nodes = await Promise.all(Array.from({ length: 2 }, () => SqliteStore.open(file, clock)));
  const cipher = createCipher(Buffer.alloc(32, 1));
  const seen = { sent: 0, held: 0, refused: 0 };
  let run = 0;

  await nodes[0]!.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'live' }));
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.constantFrom(...STARTS),
      fc.array(action, { minLength: 20, maxLength: 60 }),
      async (given, start, actions) => {
        run += 1;
        now = Date.parse(start);
        const { newsCap, ...marketing } = given;
        const categories: Record<string, object> = newsCap ? { news: { cap: newsCap } } : {};
        const catalog: Catalog = toCatalog({
          contents: [],
          settings: { marketing: { ...marketing, categories } },
          templates: [
            { templateId: 'news', category: 'news', body: 'x' },
            { templateId: 'offers', category: 'offers', body: 'x' },
            { templateId: 'plain', body: 'x' },
            { templateId: 'receipt', priority: 'transactional', body: 'x' },
          ],
        });
        const catalogs = { of: async () => catalog } as unknown as Catalogs;
        const hashOf = (index: number) => `h${run}-${index}`;
        const said = ZONES.map(() => new Said());
        const sent: { user: number; at: number; category: string | null }[] = [];
        await nodes[0]!.write((tx) =>
          users.upsert(
            tx,
            cipher,
            WORKSPACE,
            ZONES.map((timeZone, i) => ({ userId: `u${run}-${i}`, hashId: hashOf(i), timeZone })),
          ),
        );

        const check = (index: number, channel: string, templateId: string) => {
          if (templateId === 'receipt') return;
          const zone = ZONES[index]!;
          const category = templateId === 'plain' ? null : templateId;
          const consent = said[index]!.about(channel, category);
          expect(consent).not.toBe('out');
          if (marketing.requireOptIn) expect(consent).toBe('in');
          const { day, minute } = localOf(now, zone);
          if (marketing.quietHours) {
            const [from, until] = [minutes(marketing.quietHours.from), minutes(marketing.quietHours.until)];
            const quiet = from < until ? minute >= from && minute < until : minute >= from || minute < until;
            expect(quiet && from !== until, `${zone} ${day} ${minute}`).toBe(false);
          }
          sent.push({ user: index, at: now, category });
          const week = new Set(
            Array.from({ length: 7 }, (_, i) =>
              new Date(Date.parse(`${day}T12:00:00Z`) - i * 86_400_000).toISOString().slice(0, 10),
            ),
          );
          for (const [limits, of] of [
            [marketing.cap, null],
            [newsCap, 'news'],
          ] as const) {
            if (!limits || (of !== null && of !== category)) continue;
            const counted = sent
              .filter((each) => each.user === index && (of === null || each.category === of))
              .map(({ at }) => localOf(at, zone).day);
            expect(counted.filter((each) => each === day).length).toBeLessThanOrEqual(limits.perDay);
            expect(counted.filter((each) => week.has(each)).length).toBeLessThanOrEqual(limits.perWeek);
          }
        };
        /** Every node claims what is due, at once. */
        const work = async () => {
          for (let more = true; more; ) {
            const found = await Promise.all(
              nodes.map((node) =>
                node.write(
                  (tx) =>
                    notificationClaims.claim(
                      tx,
                      WORKSPACE,
                      CHANNELS.flatMap((channel) =>
                        ['transactional', 'marketing'].map((priority) => ({ channel, priority, limit: 3 })),
                      ),
                      {
                        leaseMs: MINUTE,
                        deduplicates: () => true,
                        judge: (own, due) => maySend(own, due, catalogs),
                      },
                    ),
                  LAZY,
                ),
              ),
            );
            for (const each of found.flatMap(({ claimed }) => claimed.flat())) {
              seen.sent += 1;
              check(Number(each.hashId.split('-')[1]), each.channel, each.templateId);
              await nodes[0]!.write(
                (tx) => notifications.finish(tx, each, { event: 'deliver', reason: 'accepted' }, 0),
                LAZY,
              );
            }
            more = found.some(({ claimed, settled }) => settled > 0 || claimed.flat().length > 0);
          }
        };
        let made = 0;
        for (const each of actions) {
          if (each.type === 'wait') now += each.ms;
          if (each.type === 'consent') {
            const statement = { ...each.scope, state: each.state };
            said[each.user]!.add(statement);
            await nodes[1]!.write((tx) => consents.add(tx, WORKSPACE, hashOf(each.user), [statement]), LAZY);
          }
          if (each.type === 'trigger')
            for (let i = 0; i < 2; i++)
              await nodes[0]!.write(
                (tx) =>
                  notifications.create(tx, WORKSPACE, {
                    notificationId: `n${run}-${made++}`,
                    hashId: hashOf(each.user),
                    templateId: each.template,
                    channel: each.channel,
                    priority: each.template === 'receipt' ? 'transactional' : 'marketing',
                    variables: Buffer.from('{}'),
                  }),
                LAZY,
              );
          await work();
        }
        // Whatever is held ends: it is sent when it may be, or expires after a day.
        const statuses = async () =>
          nodes[0]!.read(async (tx) => {
            const found: string[] = [];
            for (let i = 0; i < made; i++)
              found.push((await notifications.get(tx, WORKSPACE, `n${run}-${i}`))!.status);
            return found;
          });
        seen.held += (await statuses()).filter((status) => status === 'held').length;
        for (let hour = 0; hour <= 25; hour++) {
          now += 60 * MINUTE;
          await work();
        }
        const ends = await statuses();
        expect(ends.filter((status) => status !== 'delivered' && status !== 'failed')).toEqual([]);
        seen.refused += ends.filter((status) => status === 'failed').length;
      },
    ),
    { numRuns: 8 },
  );
  for (const node of nodes) await node.close();
  // The rules had something to forbid, and something to allow.
  expect(Math.min(seen.sent, seen.held, seen.refused)).toBeGreaterThan(5);
});
