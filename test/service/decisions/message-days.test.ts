import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayAround } from '../../../src/service/users/contact-day.ts';
import { wallClock } from '../../support/peers/raw-service.ts';
import { catalogFile, content } from '../../support/process/decisions-service.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { json } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';
import '../../support/process/property-seed.ts';

const DAY = 86_400_000;
const START = '2026-03-20T10:00:00Z';
const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati', 'Europe/Berlin'];

async function start(settings?: object) {
  const clock = wallClock(START);
  const catalog = catalogFile(tempDir(), [content('a'), content('b')], settings);
  const service = await startTestService({ catalog, clock });
  const forward = (ms: number) => clock.set(new Date(clock.now() + ms).toISOString());
  return { service, clock, forward };
}

const identify = async (service: TestService, userId: string, timeZone: string): Promise<string> =>
  (await json(service.fetch('/v1/users', { body: { users: [{ userId, timeZone }] } }), 200)).users[0].hashId;

async function decide(service: TestService, hashId: string, surface: string, cap?: number) {
  const body = {
    hashId,
    context: { channel: 'in-app', surface },
    ...(cap === undefined ? {} : { guardrails: { maxDailyContacts: cap } }),
  };
  return json(service.fetch('/v1/decisioning/decide', { body }), 200);
}

const poll = async (service: TestService, hashId: string): Promise<string[]> =>
  (await json(service.fetch(`/v1/messages?hashId=${hashId}`), 200)).messages.map(
    ({ decisionId }: { decisionId: string }) => decisionId,
  );

const rowsOf = <T>({ platform, workspace }: TestService, table: string, hashId: string) =>
  platform.store.read(({ sql }) =>
    sql.all<T>(`SELECT * FROM ${table} WHERE workspace_id = ? AND hash_id = ?`, [workspace, hashId]),
  );

describe('a message outlives midnight', () => {
  test('for seven days of its user, or as many as the catalog says', async () => {
    for (const [settings, days] of [
      [undefined, 7],
      [{ messageDays: 2 }, 2],
    ] as const) {
      const { service, forward } = await start(settings);
      const hashId = await identify(service, 'u', 'UTC');
      const { decisionId } = await decide(service, hashId, 'home');
      for (let day = 0; day < days; day++) {
        expect(await poll(service, hashId)).toEqual([decisionId]);
        forward(DAY);
      }
      expect(await poll(service, hashId)).toEqual([]);
    }
  });

  test('it is a contact of each day on which it is served, within the cap of its decision', async () => {
    const { service, forward } = await start();
    const hashId = await identify(service, 'u', 'UTC');
    const first = await decide(service, hashId, 'home', 2);
    const second = await decide(service, hashId, 'cart', 2);
    const both = [second, first].map(({ decisionId }) => decisionId);
    expect(await poll(service, hashId)).toEqual(both);
    forward(DAY);
    // Another contact of the day leaves one.
    const third = await decide(service, hashId, 'elsewhere');
    expect(await poll(service, hashId)).toEqual([third.decisionId, second.decisionId]);
    expect(await poll(service, hashId)).toEqual([third.decisionId, second.decisionId]);
    expect((await decide(service, hashId, 'elsewhere', 2)).action.type).toBe('none');
    forward(DAY);
    // Days on which nobody polls have no contacts.
    expect((await decide(service, hashId, 'top', 1)).action.type).toBe('in-app-message');
  });

  test('a decision of a later day for the same place replaces it', async () => {
    const { service, forward } = await start();
    const hashId = await identify(service, 'u', 'UTC');
    const [home, cart] = [await decide(service, hashId, 'home'), await decide(service, hashId, 'cart')];
    const again = await decide(service, hashId, 'home');
    const ids = (...of: { decisionId: string }[]) => of.map(({ decisionId }) => decisionId).sort();
    expect((await poll(service, hashId)).sort()).toEqual(ids(home, cart, again));
    forward(DAY);
    const later = await decide(service, hashId, 'home');
    expect((await poll(service, hashId)).sort()).toEqual(ids(cart, later));
  });

  test('no order of decisions, polls, days and zones breaks a cap, and nothing waits without a reason', async () => {
    const { service, clock, forward } = await start();
    const surface = fc.constantFrom('home', 'cart');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ surface, cap: fc.option(fc.integer({ min: 1, max: 3 })) }) },
      { weight: 5, arbitrary: fc.constant('poll' as const) },
      { weight: 4, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 40 }) }) },
      { weight: 1, arbitrary: fc.record({ zone: fc.constantFrom(...ZONES) }) },
    );
    let users = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        const userId = `u${users++}`;
        let zone = 'UTC';
        const hashId = await identify(service, userId, zone);
        const caps = new Map<string, number | null>();
        let before = new Set<string>();
        for (const each of steps) {
          let served: string[] | undefined;
          if (each === 'poll') served = await poll(service, hashId);
          else if ('hours' in each) forward(each.hours * 3_600_000);
          else if ('zone' in each) {
            zone = each.zone;
            await identify(service, userId, zone);
          } else {
            const { decisionId } = await decide(service, hashId, each.surface, each.cap ?? undefined);
            caps.set(decisionId, each.cap);
          }
          const rows = await rowsOf<{ at_ms: number; id: string }>(service, 'contact', hashId);
          const day = dayAround(clock.now(), zone);
          const today = rows.filter(({ at_ms: at }) => at >= day.start && at < day.end);
          const fresh = rows.filter(({ id, at_ms: at }) => !before.has(`${id} ${at}`)).map(({ id }) => id);
          // Contacts are taken now, by a decision or by a poll that serves its message, in the order of the answer.
          const taken = (served ?? [...caps.keys()].slice(-1)).filter((id) => fresh.includes(id));
          expect(taken).toHaveLength(fresh.length);
          const ids = today.map(({ id }) => id);
          for (const [i, id] of taken.entries()) {
            expect(ids).toContain(id);
            expect(today.length - taken.length + i + 1).toBeLessThanOrEqual(
              caps.get(id) ?? Number.POSITIVE_INFINITY,
            );
          }
          before = new Set(rows.map(({ id, at_ms: at }) => `${id} ${at}`));
          if (!served) continue;
          for (const id of served) expect(ids).toContain(id);
          const messages = await rowsOf<{ decision_id: string; withdraw_at: number }>(
            service,
            'message',
            hashId,
          );
          for (const { decision_id: id, withdraw_at: end } of messages)
            if (end > clock.now() && !served.includes(id))
              expect(today.length).toBeGreaterThanOrEqual(caps.get(id) ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
