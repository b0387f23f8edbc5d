import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
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
    await svc.go('/users');
    await svc.tabTo('hashId of a user');
    await page.keyboard.type(data.hashId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/users/${data.hashId}`);
    const items = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    const { items: entries } = await svc.send<{ items: { kind: string; contentId?: string }[] }>(
      `/v1/users/${data.hashId}/timeline`,
    );
    // A message stands in the line of its decision.
    const lines = entries.filter(({ kind }) => kind !== 'message');
    await expect.poll(() => items.count()).toBe(lines.length);
    const texts = await items.allInnerTexts();
    for (const [i, { kind }] of lines.entries()) expect(texts[i]).toContain(kind);
    expect(texts.filter((text) => /first served at|waits for the app/.test(text)).length).toBe(
      entries.length - lines.length,
    );
    for (const kind of ['event', 'decision', 'message', 'notification'])
      expect(entries.some((entry) => entry.kind === kind)).toBe(true);
    await page.getByText(/^Last seen just now: /).waitFor();
    // Properties of events, without what looks personal.
    expect(texts.filter((text) => /amount \d+ · source \w+ · email \*\*\*/.test(text)).length).toBe(
      entries.filter(({ kind }) => kind === 'event').length,
    );
    // Names of the fields, never their values: those are among the forbidden texts.
    await page.getByText('name, phone, accountNumber, emails').waitFor();
    await page.getByText('names only; traits: secretTrait').waitFor();
    await page.getByText('Contacts today').waitFor();
    await svc.checkAccessibility();
  });

  test('lists the users of a range of time', async () => {
    const { page } = svc;
    await svc.go('/users?range=hour');
    await page.getByRole('table', { name: 'Users who were active last' }).waitFor();
    await page.getByRole('heading', { name: /^\d+ users were active in the last hour$/ }).waitFor();
    await page
      .getByText(/^\d+ sent events, \d+ got decisions and \d+ were stored or changed; the last/)
      .waitFor();
    await page.getByText(/^By locale: .*fr-FR \d/).waitFor();
    await page
      .getByText(
        /^\d+ of them are stored; can be reached by: .*push \d.*1 refuses marketing, in whole or part$/,
      )
      .waitFor();
    const refusing = page.getByRole('row').filter({ hasText: 'no sms' });
    expect(await refusing.innerText()).toMatch(/nothing no sms no (\*\/offers|email\/news) \+1/);
    await svc.go('/users?until=2026-01-01T00:00:00.000Z');
    await page.getByText('No user was active in this range.').waitFor();
    await svc.checkAccessibility();
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

  test('narrows the timeline to one kind, in the URL, and links to a decision', async () => {
    const { page, data } = svc;
    await svc.go(`/users/${data.hashId}?kinds=decision`);
    const items = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await items.first().waitFor();
    for (const text of await items.allInnerTexts()) expect(text).toMatch(/^decision/);
    const id = await items.first().getByRole('link').getAttribute('href');
    await items.first().getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${id}`);
    await page.getByRole('article', { name: /^Decision dec_/ }).waitFor();
  });

  test('names the content of an outcome, and shows what happened meanwhile on Refresh', async () => {
    const { page, data } = svc;
    const [, hashId] = data.hashIds;
    const items = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await svc.go(`/users/${hashId}?kinds=outcome`);
    await items.first().waitFor();
    const { items: entries } = await svc.send<{ items: { contentId: string }[] }>(
      `/v1/users/${hashId}/timeline?kinds=outcome`,
    );
    for (const [i, text] of (await items.allInnerTexts()).entries())
      expect(text).toContain(`of a message ${entries[i]!.contentId}`);
    const [{ decisionId }] = (
      await svc.send<{ decisions: [{ decisionId: string }] }>(`/v1/decisions?hashId=${hashId}`)
    ).decisions;
    await svc.send(`/v1/messages/${decisionId}/outcomes`, { type: 'dismissed' });
    await svc.tabTo('Refresh');
    await page.keyboard.press('Enter');
    await items.filter({ hasText: 'dismissed' }).waitFor();
    await svc.tabTo('Pending messages');
    await page.keyboard.press('Enter');
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

  test('offers the users who were active last to begin with, also those without a decision', async () => {
    const { page, data } = svc;
    const { users } = await svc.send<{ users: [{ hashId: string }] }>('/v1/users', {
      users: [{ userId: 'u_without_decisions', locale: 'ja-JP' }],
    });
    await svc.go('/users');
    const rows = page.getByRole('table', { name: 'Users who were active last' }).getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.nth(1).innerText()).toMatch(
      /ja-JP\s+nothing\s+just now\s+was stored or changed\s+0\s+0$/,
    );
    for (const hashId of [users[0].hashId, ...data.hashIds])
      expect(await rows.locator(`a[href="/users/${hashId}"]`).count()).toBe(1);
    await page.getByRole('button', { name: 'Decisions' }).press('Enter');
    await page.waitForURL('**/users?sort=-Decisions');
    expect(await rows.nth(1).innerText()).toMatch(/[1-9]\d*$/);
    await svc.checkAccessibility();
  });

  test('shows more than the first users', async () => {
    const { page } = svc;
    const users = Array.from({ length: 130 }, (_, i) => ({ userId: `u_many_${i}`, locale: 'pt-PT' }));
    await svc.send('/v1/users', { users });
    await svc.go('/users');
    await page
      .getByRole('heading', { name: /^At least 1\d\d users were active lately; these 100/ })
      .waitFor();
    await svc.tabTo('Show more');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^1\d\d users were active lately$/ }).waitFor();
    const hashes = await page
      .getByRole('row')
      .getByRole('link')
      .evaluateAll((links) => links.map(({ href }) => href));
    expect(hashes.length).toBeGreaterThan(130);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
