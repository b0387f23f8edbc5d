import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

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
      if (request.url().includes('/api/v1/messages')) polls.push(request.url());
    });
    await svc.go('/messages');
    // Without a user, those of the latest decisions.
    await page.getByRole('list', { name: 'Latest messages' }).getByRole('article').first().waitFor();
    await svc.tabTo('User');
    await page.keyboard.type(data.hashId);
    await page.keyboard.press('Enter');
    const messages = page.getByRole('list', { name: 'Pending messages' }).getByRole('article');
    await messages.first().waitFor();
    expect(polls).toEqual([]);
    const of = `/v1/users/${data.hashId}/messages`;
    const { messages: peeked } = await svc.send<{
      messages: { decisionId: string; servedAt: string | null }[];
    }>(of);
    expect(peeked.find((message) => message.decisionId === decisionId)!.servedAt).toBeNull();
    expect(await messages.filter({ hasText: 'waits for the app' }).count()).toBeGreaterThan(0);
    const pending = await svc.send<{ messages: { decisionId: string; title: string; body: string }[] }>(
      `/v1/messages?hashId=${data.hashId}`,
    );
    expect(await messages.count()).toBe(pending.messages.length);
    for (const [i, { title, body }] of pending.messages.entries()) {
      const text = await messages.nth(i).innerText();
      expect(text).toContain(title);
      expect(text).toContain(body);
    }
    await svc.checkAccessibility();

    const first = pending.messages[0]!;
    expect(pending.messages.map((message) => message.decisionId)).toContain(decisionId);
    await svc.tabTo('Actioned');
    await page.keyboard.press('Enter');
    await messages.first().getByText('Reported: actioned').waitFor();
    const after = await svc.send<typeof pending>(`/v1/messages?hashId=${data.hashId}`);
    expect(after.messages.map((message) => message.decisionId)).not.toContain(first.decisionId);
  });

  test('says how many messages wait where no user is chosen', async () => {
    const { page } = svc;
    await svc.go('/messages');
    const latest = page.getByRole('list', { name: 'Latest messages' });
    await latest.waitFor();
    const waiting = await latest.getByRole('article').count();
    const words = waiting === 1 ? '1 message waits' : `${waiting} messages wait`;
    await page.getByText(`${words} for the users of the latest decisions`).waitFor();
    const box = page.getByRole('region', { name: 'By content' });
    await box
      .getByRole('heading', { name: /^\S+ was tapped most in the last 24 hours: \d+ % of \d+ times? shown;/ })
      .waitFor();
    const { messages } = await svc.send<{
      messages: { waiting: { contentId: string; unseen: number; seen: number }[] };
    }>('/v1/overview');
    const [first] = messages.waiting;
    expect(await box.getByRole('row', { name: first!.contentId }).innerText()).toMatch(
      new RegExp(`${first!.unseen}\\s+${first!.seen}$`),
    );
    await svc.checkAccessibility();
    await latest.getByText('Report, as an app would:').first().waitFor();
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
    await svc.go(`/messages?hashId=${data.hashId}&surface=home&channel=in-app`);
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(
      new RegExp(`^svc messages list --peek --hash-id=${data.hashId} --surface=home --channel=in-app`),
    );
  });
});
