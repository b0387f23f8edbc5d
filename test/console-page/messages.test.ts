import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../src/contract/endpoints.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

type Latest = AnswerOf<'listLatestMessages'>;

describe.runIf(hasChromium)('the messages view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('shows each message as an app would without serving it, and reports an outcome by keyboard alone', async () => {
    const { page, data } = svc;
    const { decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId: data.hashId,
      context: { channel: 'in-app' },
    });
    const polls: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/messages(\?|$)/.test(request.url())) polls.push(request.url());
    });
    await svc.go('/messages');
    const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
    await rows.first().waitFor();
    const { messages } = await svc.send<Latest>('/v1/messages/latest');
    expect(messages[0]).toMatchObject({ decisionId, state: 'waiting' });
    expect(await rows.count()).toBe(messages.length);
    // The arrow leads into this list, not into the one that is folded above it.
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').innerText()).toBe(await rows.first().getByRole('button').innerText());
    expect(await rows.first().locator(':focus').count()).toBe(1);
    // One line a message, the newest first.
    for (const [i, text] of (await rows.allInnerTexts()).entries()) {
      const { contentId, state, hashId, context } = messages[i]!;
      expect(text.replace('acted on', 'tapped').split(/\s+/).slice(0, 5)).toEqual([
        contentId,
        state,
        `${hashId.slice(0, 8)}…`,
        context.surface ?? '–',
        context.locale ?? '–',
      ]);
    }
    await svc.checkAccessibility();
    const of = `/v1/users/${data.hashId}/messages`;
    const { messages: waiting } = await svc.send<{
      messages: { decisionId: string; servedAt: string | null; title: string; body: string }[];
    }>(of);
    const looks = waiting.find((message) => message.decisionId === decisionId)!;
    expect(looks.servedAt).toBeNull();
    await rows.first().getByRole('button').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/messages?open=${decisionId}`);
    const detail = page.getByRole('complementary', { name: 'Detail' });
    const look = await detail.getByRole('figure').innerText();
    expect(look).toContain(looks.title);
    expect(look).toContain(looks.body);
    const life = detail.getByRole('list', { name: 'What happened to it' });
    expect(await life.innerText()).toMatch(/^decided .*\nwaiting$/);
    expect(
      await detail.getByText(`svc api GET /v1/messages/latest -f decisionId=${decisionId}`).count(),
    ).toBe(1);
    await detail.getByRole('link', { name: decisionId }).waitFor();
    await svc.checkAccessibility();
    expect(polls).toEqual([]);

    await svc.tabTo('Acted on');
    await page.keyboard.press('Enter');
    await life.getByText('acted on').waitFor();
    expect(await rows.first().innerText()).toContain('acted on');
    const after = await svc.send<typeof looks & { messages: { decisionId: string }[] }>(of);
    expect(after.messages.map((each) => each.decisionId)).not.toContain(decisionId);
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await page.waitForURL('**/messages');
  });

  test('says the same of a message in the list and beside it, when it was answered after the list was read', async () => {
    const { page, data } = svc;
    const { decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId: data.hashId,
      context: { channel: 'in-app' },
    });
    await svc.go('/messages');
    const row = page.getByRole('table', { name: 'Messages' }).locator('tbody tr').first();
    await row.getByText('waiting').waitFor();
    await svc.send(`/v1/messages/${decisionId}/outcomes`, { type: 'actioned' });
    await row.getByRole('button').press('Enter');
    const detail = page.getByRole('complementary', { name: 'Detail' });
    await detail.getByText('acted on').first().waitFor();
    await row.getByText('acted on').waitFor();
    // An app may report later that it was dismissed, or that alone: that is no warning.
    const other = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId: data.hashId,
      context: { channel: 'in-app' },
    });
    await svc.send(`/v1/messages/${other.decisionId}/outcomes`, { type: 'dismissed' });
    await svc.go('/messages');
    expect(await row.getByText('dismissed').getAttribute('class')).toBe('badge plain');
  });

  test('finds messages by user, content, surface and state, and shows an answered one as the catalog has it', async () => {
    const { page, data } = svc;
    const [, hashId] = data.hashIds;
    const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr');
    const { messages } = await svc.send<Latest>(`/v1/messages/latest?hashId=${hashId}&state=tapped`);
    const [{ contentId, context, decisionId }] = messages as [Latest['messages'][number]];
    await svc.go(`/messages?contentId=${contentId}&surface=${context.surface}`);
    await svc.tabTo('User');
    await page.keyboard.type(hashId!);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'acted on' }).press('Space');
    await page.waitForURL(
      `**/messages?contentId=${contentId}&surface=${context.surface}&hashId=${hashId}&state=tapped`,
    );
    await expect
      .poll(async () => (await rows.allInnerTexts()).map((text) => text.split(/\s+/).slice(0, 5).join(' ')))
      .toEqual(
        messages
          .filter((each) => each.contentId === contentId && each.context.surface === context.surface)
          .map(() => `${contentId} acted on ${hashId!.slice(0, 8)}… ${context.surface}`),
      );
    await page.getByText(/^of the latest \d+: acted on \d+$/).waitFor();
    await svc.go(`/messages?open=${decisionId}`);
    const detail = page.getByRole('complementary', { name: 'Detail' });
    const { catalog } = await svc.send<{ catalog: { contents: { contentId: string; title: string }[] } }>(
      '/v1/catalog',
    );
    const { title } = catalog.contents.find((each) => each.contentId === contentId)!;
    expect(await detail.getByRole('figure').innerText()).toContain(title);
    await detail
      .getByText(
        /^as the catalog of the service had it, in force when it was decided; its only text, for all locales: it has none of its own for \w+ \(\w+\)/,
      )
      .waitFor();
    expect(await detail.getByRole('button', { name: 'Acted on' }).count()).toBe(0);
    // What the user saw stays, whatever the catalog says later.
    const reworded = catalog.contents.map((each) =>
      each.contentId === contentId ? { ...each, title: 'Said later' } : each,
    );
    await svc.send('/v1/catalog', { catalog: { ...catalog, contents: reworded } }, 'PUT');
    await page.reload();
    await detail.getByText('; the catalog of now has another text').waitFor();
    expect(await detail.getByRole('figure').innerText()).toContain(title);
    await svc.send('/v1/catalog', { catalog: { ...catalog, contents: [] } }, 'PUT');
    await page.reload();
    await detail.getByText('in force when it was decided').waitFor();
    await svc.send('/v1/catalog', { catalog }, 'PUT');
    await svc.go('/messages?state=ended');
    await page.getByText('No messages match.').waitFor();
  });

  test('says which content was acted on most and how many messages wait, over the range that is chosen', async () => {
    const { page } = svc;
    await svc.go('/messages?range=day');
    const box = page.getByRole('region', { name: 'By content' });
    await box
      .getByRole('heading', {
        name: /^[\d.]+ % of the \d+ messages? served since [\w, ]+:\d\d \w+ acted on, \S+ most often: [\d.]+ %$/,
      })
      .waitFor();
    await svc.go('/messages');
    await box
      .getByRole('heading', { name: /^[\d.]+ % of the \d+ messages? served so far \w+ acted on/ })
      .waitFor();
    await box.getByText(/^Waiting now: \d+ for an app, \d+ for the user’s answer$/).waitFor();
    await svc.tabTo(/served, acted on and waiting$/);
    await page.keyboard.press('Enter');
    const { messages } = await svc.send<{
      messages: { waiting: { contentId: string; unseen: number; seen: number }[] };
    }>('/v1/overview');
    const [first] = messages.waiting;
    expect(await box.getByRole('row', { name: first!.contentId }).innerText()).toMatch(
      new RegExp(`${first!.unseen}\\s+${first!.seen}$`),
    );
    await svc.checkAccessibility();
  });

  test('says that no app asks where none of many was fetched', async () => {
    const { page } = svc;
    const { users } = await svc.send<AnswerOf<'ingestUsers'>>('/v1/users', {
      users: [{ userId: 'u_unasked' }],
    });
    const { hashId } = users[0]!;
    for (let i = 0; i < 20; i++)
      await svc.send('/v1/decisioning/decide', { hashId, context: { channel: 'in-app', surface: 'home' } });
    await svc.go(`/messages?hashId=${hashId}`);
    await page.getByText('no app has fetched any of the latest 20, since').waitFor();
    await svc.checkAccessibility();
    await svc.send(`/v1/messages?hashId=${hashId}&channel=in-app`);
    await svc.go(`/messages?hashId=${hashId}`);
    await page.getByText(/^of the latest 20:/).waitFor();
  });

  test('keeps what is being typed while the page looks whether the console is there', async () => {
    const { page } = svc;
    await page.clock.install();
    await svc.go('/messages');
    await svc.tabTo('User');
    await page.keyboard.type('half');
    const asked = page.waitForResponse(/\/console\/about$/);
    await page.clock.runFor(5000);
    await asked;
    await page.clock.runFor(100);
    await page.keyboard.type('-typed');
    expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('half-typed');
    await page.clock.resume();
  });

  test('names its filters in the copied command', async () => {
    const { page, data } = svc;
    await svc.go(`/messages?hashId=${data.hashId}&surface=home`);
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(
      new RegExp(`^svc api GET /v1/messages/latest -f hashId=${data.hashId} -f surface=home`),
    );
  });
});
