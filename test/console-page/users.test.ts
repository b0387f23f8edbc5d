import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../src/contract/endpoints.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the users view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('finds a user by hashId and shows one timeline of all that happened, by keyboard alone', async () => {
    const { page, data } = svc;
    // Its message waits for the app.
    await svc.send('/v1/decisioning/decide', {
      hashId: data.hashId,
      context: { channel: 'in-app', surface: 'waiting' },
    });
    await svc.go('/users');
    await svc.tabTo('hashId of a user');
    await page.keyboard.type(data.hashId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/users/${data.hashId}`);
    const items = page.locator('.timeline > li');
    const { items: entries } = await svc.send<{
      items: { kind: string; event?: string; contentId?: string }[];
    }>(`/v1/users/${data.hashId}/timeline`);
    // A message stands in the line of its decision, and a run of one event in one.
    const shown = entries.filter(({ kind }) => kind !== 'message');
    const lines = shown.filter(({ kind }, i) => kind !== 'event' || shown[i - 1]?.kind !== 'event');
    const events = entries.filter(({ kind }) => kind === 'event');
    expect(events.map(({ event }) => event)).toEqual(Array(4).fill('app_opened'));
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await expect.poll(() => items.count()).toBe(lines.length);
    const texts = await items.allInnerTexts();
    for (const [i, { kind }] of lines.entries()) expect(texts[i]).toContain(kind);
    expect(texts.filter((text) => /first served at|waits for the app/.test(text)).length).toBe(
      entries.filter(({ kind }) => kind === 'message').length,
    );
    for (const kind of ['event', 'decision', 'message', 'notification'])
      expect(entries.some((entry) => entry.kind === kind)).toBe(true);
    const card = (name: string) =>
      page.locator('.card').filter({ has: page.getByText(name, { exact: true }) });
    expect(await card('Last active').innerText()).toMatch(/just now\s+app_opened$/);
    // Properties of events, without what looks personal.
    const run = items.filter({ hasText: 'app_opened 4 times' });
    expect(
      await run
        .getByText(/amount \d+ · source \w+ · email \*\*\*/)
        .filter({ visible: true })
        .count(),
    ).toBe(0);
    await svc.tabTo(/^from [\d:]{8} to [\d:]{8}$/);
    await page.keyboard.press('Enter');
    const each = run.getByRole('listitem').filter({ hasText: /amount \d+ · source \w+ · email \*\*\*/ });
    expect(await each.count()).toBe(events.length);
    // Names of the fields, never their values: those are among the forbidden texts.
    await page.getByText('name, phone, accountNumber, emails, secretTrait').waitFor();
    await card('Personal data').getByText('values are never shown').waitFor();
    // A message that waits has not reached the user yet.
    const { contacts, totals } = await svc.send<AnswerOf<'getUserTimeline'>>(
      `/v1/users/${data.hashId}/timeline`,
    );
    const { used, failed, waiting } = contacts!.find(({ cap }) => cap === null)!;
    expect(waiting).toBeGreaterThan(0);
    await card('Contacted today')
      .getByText(`${used - waiting! - failed!} time`)
      .waitFor();
    // The same numbers as in the list of users.
    const { users } = await svc.send<AnswerOf<'listUsers'>>('/v1/users?active=true');
    const { events: sent, decisions } = users.find(({ hashId }) => hashId === data.hashId)!;
    expect(totals).toEqual({ events: sent, decisions });
    expect(await card('Events').innerText()).toMatch(new RegExp(`^Events\\s+${sent}\\s+in 90 days, about$`));
    expect(await card('Decisions').innerText()).toMatch(new RegExp(`^Decisions\\s+${decisions}\\s+so far$`));
    // The catalog asks for no opt-in.
    await page.getByText('not opted out', { exact: true }).waitFor();
    await page.getByText('the catalog asks for no opt-in', { exact: true }).waitFor();
    await svc.checkAccessibility();
  });

  test('lists the users of a range of time, and those of a channel or a locale alone', async () => {
    const { page } = svc;
    await svc.go('/users?range=hour');
    await page.getByRole('table', { name: 'Users who were active last' }).waitFor();
    await page
      .getByRole('heading', {
        name: /^\d users sent events and \d got decisions in the last hour; of the 5 listed, [1-4] (has|have) no channel that reaches them$/,
      })
      .waitFor();
    await page.getByText(/^\d+ were stored or changed, as by an import$/).waitFor();
    const rows = page.getByRole('table', { name: 'Users who were active last' }).locator('tbody tr');
    expect(await rows.filter({ hasText: 'no sms' }).innerText()).toMatch(
      /nothing no sms no (offers|news by email) and 1 more/,
    );
    await svc.tabTo(/^Only can be reached by push, \d/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/users?range=hour&reach=push');
    await expect
      .poll(async () => (await rows.allInnerTexts()).filter((text) => !/push/.test(text)))
      .toEqual([]);
    await svc.checkAccessibility();
    await page.getByRole('link', { name: /^Only locale en-GB/ }).press('Enter');
    await page.getByText('None of the users who are listed matches.').waitFor();
    await page.getByRole('link', { name: /^Not only can be reached by push/ }).press('Enter');
    await page.waitForURL('**/users?range=hour&locale=en-GB');
    await rows.first().waitFor();
    for (const text of await rows.allInnerTexts()) expect(text).toContain('en-GB');
    await svc.go('/users?until=2026-01-01T00:00:00.000Z');
    await page.getByText('No user was active in this range.').waitFor();
    await svc.checkAccessibility();
  });

  test('says when a user was last active, whatever the timeline lists', async () => {
    const { page, data } = svc;
    const { items } = await svc.send<AnswerOf<'getUserTimeline'>>(
      `/v1/users/${data.hashId}/timeline?kinds=event,outcome`,
    );
    expect(items[0]!.event).toBe('app_opened');
    await svc.go(`/users/${data.hashId}?kinds=notification`);
    const card = (name: string) =>
      page.locator('.card').filter({ has: page.getByText(name, { exact: true }) });
    await card('Last active').getByText('app_opened').waitFor();
    // The words of the notifications view.
    await page
      .locator('.timeline > li')
      .getByText('written to the outbox · this is a test workspace')
      .first()
      .waitFor();
    await card('Contacted today')
      .getByText(/; those written to the outbox count$/)
      .waitFor();
  });

  test('says of an unknown user once that it is not known, and what to do', async () => {
    const { page } = svc;
    await svc.go(`/users/${'0'.repeat(64)}`);
    await page.getByText('No user of this id is stored here.').waitFor();
    await page.getByText(/^svc users import users\.csv/).waitFor();
    expect(await page.getByText(/appear here|Nothing has happened|was not imported/).count()).toBe(0);
    await svc.checkAccessibility();
    svc.forgetFailedRequests();
  });

  test('says by channel whether the user can be contacted now, or why not and until when', async () => {
    const { page, data } = svc;
    const { catalog } = await svc.send<{ catalog: { settings?: object } }>('/v1/catalog');
    const put = (marketing: object | undefined) =>
      svc.send(
        '/v1/catalog',
        { catalog: { ...catalog, settings: { ...catalog.settings, marketing } } },
        'PUT',
      );
    const rows = page.getByRole('table', { name: 'Contact by channel' }).locator('tbody tr');
    const texts = async () => (await rows.allInnerTexts()).map((text) => text.split(/\s+/).join(' '));
    const box = page.getByRole('region', { name: 'Whether this user can be contacted now' });
    await svc.go(`/users/${data.hashId}`);
    await box
      .getByRole('heading', { name: 'Marketing reaches this user now by whatsapp, sms, email' })
      .waitFor();
    // Channels of which the same is true are one row.
    expect(await texts()).toEqual(['whatsapp, sms, email yes yes', 'push no no address no no address']);
    await svc.checkAccessibility();
    // All hours but the one before now: neither now nor a minute later is it over.
    const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 16);
    await put({ cap: { perDay: 9 }, quietHours: { from: hour(-2), until: hour(3) } });
    await svc.send(`/v1/users/${data.hashId}/consent`, { optOut: ['sms'] });
    await svc.tabTo('Refresh');
    await page.keyboard.press('Enter');
    await box
      .getByRole('heading', { name: /^No marketing reaches this user before [\w: ]+: quiet hours$/ })
      .waitFor();
    expect((await texts())[1]).toBe('sms no opted out yes');
    expect((await texts())[0]).toMatch(/^whatsapp, email no quiet hours until [\w: ]+ yes$/);
    const caps = page.getByRole('list', { name: 'Contacts against the cap' });
    expect(await caps.getByRole('listitem').first().innerText()).toMatch(
      /^Marketing today\s+0 of 9\s+9 left$/,
    );
    await caps
      .getByText(
        /^in all; (\d+ reached the outbox or the user, 1 more waits; )?decisions with a cap count (it|them)$/,
      )
      .waitFor();
    await put({ requireOptIn: true });
    await svc.tabTo('Refresh');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await texts())[0])
      .toBe('whatsapp, email no not opted in, which the catalog asks for yes');
    await svc.send('/v1/catalog', { catalog }, 'PUT');
  });

  test('opens the properties of an event that has many, by keyboard alone', async () => {
    const { page, data } = svc;
    const properties = { a: 1, b: 2, c: 3, d: 4, plan: 'gold', phone: '+447700900123' };
    const timestamp = new Date().toISOString();
    await svc.send('/v1/events', { events: [{ userId: 'u_1', event: 'compared', timestamp, properties }] });
    await svc.go(`/users/${data.hashId}?kinds=event`);
    const item = page.getByRole('listitem').filter({ hasText: 'compared' });
    await svc.tabTo(/^a 1 · b 2 · c 3 · d 4 · and 2 more/);
    await page.keyboard.press('Enter');
    await item.getByText('gold').waitFor();
    expect(await item.innerText()).toMatch(/phone\s+\*\*\*/);
    await svc.checkAccessibility();
  });

  test('shows one kind alone, by keyboard, with a run of one event as one line', async () => {
    const { page, data } = svc;
    const at = (day: number, n: number) => new Date(Date.now() - day * 86_400_000 - n * 1000).toISOString();
    const sent = (event: string, n: number, day: number) =>
      Array.from({ length: n }, (_, i) => ({ userId: 'u_3', event, timestamp: at(day, i) }));
    await svc.send('/v1/events', { events: [...sent('page_viewed', 14, 2), ...sent('page_viewed', 90, 3)] });
    await svc.go(`/users/${data.hashIds[2]!}?kinds=notification`);
    const items = page.locator('.timeline > li');
    await expect.poll(() => items.count()).toBe(1);
    await page.getByRole('radio', { name: 'Events' }).press('Space');
    await page.waitForURL('**/users/*?kinds=event');
    await items.filter({ hasText: 'page_viewed 14 times' }).waitFor();
    const days = page.getByRole('main').getByRole('heading', { level: 3 });
    expect(await days.first().innerText()).toBe('Today');
    for (const day of (await days.allInnerTexts()).slice(1)) expect(day).toMatch(/^\w+day \d+ \w+ 20\d\d$/);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await layoutProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await svc.checkAccessibility();
  });

  test('shows a long run of different events as one line, where they stand between all else', async () => {
    const { page, data } = svc;
    const events = Array.from({ length: 8 }, (_, i) => ({
      userId: 'u_4',
      event: i % 4 === 0 ? 'searched' : `viewed_${i % 2}`,
      timestamp: new Date(Date.now() - 4 * 86_400_000 - i * 1000).toISOString(),
    }));
    await svc.send('/v1/events', { events });
    const hashId = data.hashIds[3]!;
    await svc.go(`/users/${hashId}`);
    const items = page.locator('.timeline > li');
    const run = items.filter({ hasText: 'viewed_1 4, searched 2, viewed_0 2' });
    await run.getByText(/^8 events from [\d:]+ to [\d:]+$/).press('Enter');
    await run.locator('.run li').filter({ hasText: 'searched' }).first().waitFor();
    await svc.checkAccessibility();
    // Alone, each has its line.
    await svc.go(`/users/${hashId}?kinds=event`);
    await expect.poll(() => items.filter({ hasText: 'searched' }).count()).toBe(2);
  });

  test('narrows the timeline to one kind, in the URL, and links to a decision', async () => {
    const { page, data } = svc;
    await svc.go(`/users/${data.hashId}?kinds=decision`);
    const items = page.locator('.timeline > li');
    await items.first().waitFor();
    for (const text of await items.allInnerTexts()) expect(text).toMatch(/^decision/);
    const id = await items.first().getByRole('link').getAttribute('href');
    // The arrow leads into the timeline and through it, and Enter opens what an entry leads to.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.innerText')).toBe(await items.first().innerText());
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${id}`);
    await page.getByRole('article', { name: /^Decision dec_/ }).waitFor();
    // The list is that of the user, who is found again by Escape.
    const users = page.getByRole('table', { name: 'Decisions' });
    await users.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(`**/users/${data.hashId}`);
    await items.first().waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/users');
    await svc.go('/decisions');
    const user = users.getByRole('row').nth(1).locator('a[href^="/users/"]').last();
    await user.press('Enter');
    await page.waitForURL(/\/users\/[0-9a-f]{64}$/);
  });

  test('names the content of an outcome, and shows what happened meanwhile on Refresh', async () => {
    const { page, data } = svc;
    const [, hashId] = data.hashIds;
    const items = page.locator('.timeline > li');
    await svc.go(`/users/${hashId}?kinds=outcome`);
    await items.first().waitFor();
    const { items: entries } = await svc.send<{ items: { contentId: string }[] }>(
      `/v1/users/${hashId}/timeline?kinds=outcome`,
    );
    for (const [i, text] of (await items.allInnerTexts()).entries())
      expect(text).toContain(`the message ${entries[i]!.contentId}`);
    const [{ decisionId }] = (
      await svc.send<{ decisions: [{ decisionId: string }] }>(`/v1/decisions?hashId=${hashId}`)
    ).decisions;
    await svc.send(`/v1/messages/${decisionId}/outcomes`, { type: 'dismissed' });
    await svc.tabTo('Refresh');
    await page.keyboard.press('Enter');
    const dismissed = items.filter({ hasText: 'dismissed' });
    await dismissed.waitFor();
    // It is not drawn as what was acted on.
    const acted = items.filter({ hasText: 'acted on' }).first();
    const drawn = (item: typeof items) => item.locator('.mark path').getAttribute('d');
    expect(await drawn(dismissed)).not.toBe(await drawn(acted));
    await page.getByRole('main').getByRole('link', { name: 'Messages' }).press('Enter');
    await page.waitForURL(`**/messages?hashId=${hashId}`);
  });

  test('says at the end of a list what was removed by age', async () => {
    const { page, data } = svc;
    await svc.forgetDecisions(new Date('2026-02-03T04:05:06Z'));
    for (const path of ['/decisions', `/users/${data.hashIds[0]}`]) {
      await svc.go(path);
      const note = page.getByText('The service has removed decisions from before');
      await note.waitFor();
      expect(await note.getByRole('time').getAttribute('datetime')).toBe('2026-02-03T04:05:06.000Z');
    }
  });

  test('finds a user by the beginning of the hashId, as lists show it', async () => {
    const { page, data } = svc;
    await svc.go('/users');
    await svc.tabTo('hashId of a user');
    await page.keyboard.type(data.hashId.slice(0, 8));
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/users/${data.hashId}`);
  });

  test('offers the users who were active last to begin with, also those without a decision', async () => {
    const { page, data } = svc;
    const { users } = await svc.send<{ users: [{ hashId: string }] }>('/v1/users', {
      users: [{ userId: 'u_without_decisions', locale: 'ja-JP' }],
    });
    await svc.go('/users');
    await page.getByRole('button', { name: 'Find', exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Users who were active last' }).getByRole('row');
    await rows.nth(1).waitFor();
    const of = (hashId: string) => rows.filter({ has: page.locator(`a[href="/users/${hashId}"]`) });
    // The one who was only stored was not active.
    expect(await of(users[0].hashId).count()).toBe(0);
    const { users: listed } = await svc.send<AnswerOf<'listUsers'>>('/v1/users?active=true');
    for (const hashId of data.hashIds) {
      const { last, event, contentId, outcome } = listed.find((user) => user.hashId === hashId)!;
      const words = {
        event,
        decision: `got ${contentId}`,
        outcome: `${outcome === 'actioned' ? 'acted on' : outcome} ${contentId}`,
        profile: '',
      }[last];
      expect(await of(hashId).innerText()).toContain(words);
    }
    await page.getByRole('radio', { name: 'Stored or changed too' }).press('Space');
    await page.waitForURL('**/users?who=stored');
    await of(users[0].hashId).waitFor();
    expect(await of(users[0].hashId).innerText()).toMatch(
      /stored or changed\s+[\d:]{8}\s+nothing\s+ja-JP\s+0\s+0$/,
    );
    await page.getByRole('button', { name: 'Decisions' }).press('Enter');
    await page.waitForURL('**/users?who=stored&sort=-Decisions');
    expect(await rows.nth(1).innerText()).toMatch(/[1-9]\d*$/);
    await svc.checkAccessibility();
  });

  test('shows more than the first users', async () => {
    const { page } = svc;
    const users = Array.from({ length: 130 }, (_, i) => ({ userId: `u_many_${i}`, locale: 'pt-PT' }));
    await svc.send('/v1/users', { users });
    await svc.go('/users?who=stored');
    // That they were stored is no activity of theirs.
    await page.getByRole('heading', { name: /^\d users sent events and \d got decisions so far/ }).waitFor();
    const links = page.getByRole('row').getByRole('link');
    await expect.poll(() => links.count()).toBe(100);
    await svc.tabTo('Show more');
    await page.keyboard.press('Enter');
    await expect.poll(() => links.count()).toBeGreaterThan(130);
    const hashes = await page
      .getByRole('row')
      .getByRole('link')
      .evaluateAll((links) => links.map(({ href }) => href));
    expect(hashes.length).toBeGreaterThan(130);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
