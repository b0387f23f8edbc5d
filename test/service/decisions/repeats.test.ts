import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { CatalogError, parseCatalog } from '../../../src/service/catalog/parse.ts';
import { messages } from '../../../src/service/decisions/store/messages.ts';
import { shownContents } from '../../../src/service/decisions/store/shown-contents.ts';
import { contacts } from '../../../src/service/users/store/contacts.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const content = (contentId: string, rest: object = {}) => ({
  contentId,
  category: 'offers',
  format: 'card',
  title: 'T',
  body: 'B',
  ...rest,
});

const MINUTE_MS = 60_000;

/** A service with a catalog, on a clock that can be moved forward. */
async function serviceWith(catalog: object) {
  const file = join(tempDir(), 'catalog.json');
  writeFileSync(file, JSON.stringify(catalog));
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const service = await startTestService({ catalog: file, clock });
  return {
    service,
    file,
    forward: (minutes: number) => {
      ahead += minutes * MINUTE_MS;
    },
  };
}

async function decided(service: TestService, hashId = 'h', more: object = {}) {
  const answer = await service.fetch('/v1/decisioning/decide', { body: { hashId, ...more } });
  const { decisionId, action } = (await answer.json()) as {
    decisionId: string;
    action: { contentId: string; reason: string };
  };
  return { decisionId, ...action };
}

const outcome = (service: TestService, id: string, type: string) =>
  service.fetch(`/v1/messages/${id}/outcomes`, { body: { type } });

const waiting = async (service: TestService, hashId = 'h') => {
  const answer = await service.fetch(`/v1/messages?hashId=${hashId}`);
  return ((await answer.json()) as { messages: { decisionId: string }[] }).messages.map(
    ({ decisionId }) => decisionId,
  );
};

/** PostgreSQL has a clock of its own, which a test cannot move. */
const movable = process.env.SVC_TEST_ENGINE !== 'postgres';

it('mostPerUser and cooldownMinutes limit a content for each user, and the reason says which', async () => {
  const { service, forward } = await serviceWith({
    contents: [
      content('twice', { repeat: { mostPerUser: 2 } }),
      content('daily', { repeat: { cooldownMinutes: 60 } }),
    ],
  });
  const chosen = [];
  for (let i = 0; i < 3; i++) chosen.push((await decided(service)).contentId);
  expect(chosen.sort()).toEqual(['daily', 'twice', 'twice']);
  const none = await decided(service);
  expect(none.contentId).toBe('');
  expect(none.reason).toMatch(/mostPerUser removed twice/);
  expect(none.reason).toMatch(/cooldown after it was chosen removed daily/);
  expect((await decided(service, 'another')).contentId).not.toBe('');
  if (!movable) return;
  forward(61);
  expect((await decided(service)).contentId).toBe('daily');
});

it('afterOutcomeMinutes keeps a content away after it was dismissed or actioned, not after a click', async () => {
  const { service, forward } = await serviceWith({
    contents: [content('c', { repeat: { afterOutcomeMinutes: 30 } })],
  });
  await outcome(service, (await decided(service)).decisionId, 'clicked');
  const next = await decided(service);
  expect(next.contentId).toBe('c');
  await outcome(service, next.decisionId, 'dismissed');
  const none = await decided(service);
  expect([none.contentId, none.reason]).toEqual([
    '',
    expect.stringMatching(/dismissed or actioned removed c/),
  ]);
  if (!movable) return;
  forward(31);
  expect((await decided(service)).contentId).toBe('c');
});

it('a card of a content that was dismissed on another surface is withdrawn at the next poll', async () => {
  const { service } = await serviceWith({
    contents: [content('c', { repeat: { afterOutcomeMinutes: 30 } })],
  });
  await waiting(service);
  const on = (surface: string) => decided(service, 'h', { context: { channel: 'in-app', surface } });
  const [home, cart] = [await on('home'), await on('cart')];
  expect([home.contentId, cart.contentId]).toEqual(['c', 'c']);
  const reserved = () =>
    service.platform.store.read((tx) =>
      contacts.count(tx, service.workspace, 'h', 0, systemClock.now() + 24 * 60 * MINUTE_MS),
    );
  expect(await reserved()).toBe(2);
  expect(await waiting(service, 'h&surface=home')).toEqual([home.decisionId]);
  await outcome(service, home.decisionId, 'dismissed');
  expect(await waiting(service)).toEqual([]);
  expect(await reserved()).toBe(1);
});

it('a message that was withdrawn before it was served is not counted', async () => {
  const { service, file } = await serviceWith({ contents: [content('c', { repeat: { mostPerUser: 1 } })] });
  // Where an app polls, a decision counts from when its message is served.
  await waiting(service);
  await decided(service);
  const shown = () =>
    service.platform.store
      .read((tx) => shownContents.ofUser(tx, service.workspace, 'h'))
      .then((rows) => rows.get('c')?.times);
  expect(await shown()).toBe(1);
  writeFileSync(file, JSON.stringify({ contents: [content('other')] }));
  await expect
    .poll(async () => JSON.stringify(await (await service.fetch('/v1/contents')).json()))
    .toContain('"id":"other"');
  expect(await waiting(service)).toEqual([]);
  expect(await shown()).toBe(0);
});

if (movable)
  it('a message that expired before it was served is not counted, by a decision nor after the janitor', async () => {
    const { service, forward } = await serviceWith({
      contents: [content('c', { repeat: { mostPerUser: 1, cooldownMinutes: 3 * 24 * 60 } })],
      settings: { messageDays: 1 },
    });
    await waiting(service);
    for (const hashId of ['h', 'g']) expect((await decided(service, hashId)).contentId).toBe('c');
    expect((await decided(service)).contentId).toBe('');
    forward(24 * 60 + 1);
    expect((await decided(service)).contentId).toBe('c');
    const shown = () =>
      service.platform.store
        .read((tx) => shownContents.ofUser(tx, service.workspace, 'g'))
        .then((rows) => rows.get('c')?.times);
    expect(await shown()).toBe(1);
    expect(await service.platform.store.write((tx) => messages.purge(tx, service.workspace, 10))).toBe(1);
    expect(await shown()).toBe(0);
    // A message that was served counts, expired or not.
    expect(await waiting(service)).toHaveLength(1);
    forward(24 * 60 + 1);
    expect((await decided(service)).reason).toMatch(/mostPerUser removed c/);
  });

if (movable)
  it('a cooldown goes on from the last message that was served', async () => {
    const { service, forward } = await serviceWith({
      contents: [content('c', { repeat: { cooldownMinutes: 60 } })],
      settings: { messageDays: 1 },
    });
    await waiting(service);
    await decided(service);
    await waiting(service);
    forward(23 * 60);
    await decided(service);
    const last = () =>
      service.platform.store
        .read((tx) => shownContents.ofUser(tx, service.workspace, 'h'))
        .then((rows) => rows.get('c')!.lastAt);
    const unserved = await last();
    forward(24 * 60 + 1);
    await service.platform.store.write((tx) => messages.purge(tx, service.workspace, 10));
    expect(unserved - (await last())).toBeGreaterThan(22 * 60 * MINUTE_MS);
  });

it('with replaceWaiting a message takes the place of a waiting one and keeps its contact', async () => {
  const { service } = await serviceWith({ contents: [content('c')], settings: { replaceWaiting: true } });
  await waiting(service);
  const cap = { guardrails: { maxDailyContacts: 2 } };
  const first = await decided(service, 'h', cap);
  const second = await decided(service, 'h', cap);
  const third = await decided(service, 'h', cap);
  expect([first, second, third].map(({ contentId }) => contentId)).toEqual(['c', 'c', 'c']);
  // Served: its contact is confirmed, and the next one replaces it without a further contact.
  expect(await waiting(service)).toEqual([third.decisionId]);
  const fourth = await decided(service, 'h', cap);
  expect(await waiting(service)).toEqual([fourth.decisionId]);
  // The outcome of a replaced message is still accepted.
  expect((await outcome(service, first.decisionId, 'clicked')).status).toBe(202);
  expect(await waiting(service)).toEqual([fourth.decisionId]);
});

it('without it each decision is a contact, and the cap holds', async () => {
  const { service } = await serviceWith({ contents: [content('c')] });
  const cap = { guardrails: { maxDailyContacts: 2 } };
  const chosen = [];
  for (let i = 0; i < 3; i++) chosen.push((await decided(service, 'h', cap)).contentId);
  expect(chosen).toEqual(['c', 'c', '']);
});

it('the log says what made a choice', async () => {
  const { service } = await serviceWith({
    contents: [content('a'), content('b')],
    settings: { holdout: 1, placements: [{ surface: 'home', weights: { a: 1 } }] },
  });
  await decided(service, 'h', { context: { surface: 'home' } });
  await decided(service, 'h', { context: { surface: 'offers' } });
  const { decisions } = (await (await service.fetch('/v1/decisions')).json()) as { decisions: object[] };
  expect(decisions).toMatchObject([
    { policy: 'weights', contentId: 'a', candidates: [{ contentId: 'a', propensity: 1 }] },
    { policy: 'holdout', candidates: [{ propensity: 0.5 }, { propensity: 0.5 }] },
  ]);
});

it.each([
  [
    { settings: { placements: [{ weights: { nothing: 1 } }] } },
    'settings.placements[0].weights.nothing is not a content',
  ],
  [
    { settings: { placements: [{ weights: { c: 0 } }] } },
    'settings.placements[0].weights needs a weight above 0',
  ],
  [{ settings: { explorationShare: 0 } }, 'settings.explorationShare'],
  [{ settings: { holdout: 1.5 } }, 'settings.holdout'],
  [{ contents: [content('c', { repeat: { mostPerUser: 0 } })] }, 'contents[0].repeat.mostPerUser'],
])('refuses %j', (more, message) => {
  const text = JSON.stringify({ contents: [content('c')], ...more });
  expect(() => parseCatalog(text)).toThrow(CatalogError);
  expect(() => parseCatalog(text)).toThrow(message);
});
