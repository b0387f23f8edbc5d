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
    await page.getByRole('table', { name: 'Latest messages' }).waitFor();
    await svc.tabTo('User');
    await page.keyboard.type(data.hashId);
    await page.keyboard.press('Enter');
    const rows = page.getByRole('table', { name: 'Pending messages' }).locator('tbody tr');
    await rows.first().waitFor();
    expect(polls).toEqual([]);
    const of = `/v1/users/${data.hashId}/messages`;
    const { messages: peeked } = await svc.send<{
      messages: { decisionId: string; servedAt: string | null }[];
    }>(of);
    expect(peeked.find((message) => message.decisionId === decisionId)!.servedAt).toBeNull();
    const pending = await svc.send<{
      messages: { decisionId: string; contentId: string; format: string; title: string; body: string }[];
    }>(`/v1/messages?hashId=${data.hashId}`);
    // A line for each content and format.
    const groups = new Map<string, typeof pending.messages>();
    for (const each of pending.messages) {
      const key = `${each.format} ${each.contentId}`;
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    expect(await rows.count()).toBe(groups.size);
    await svc.checkAccessibility();
    const [[, [first]]] = [...groups].filter(([, each]) =>
      each.some((one) => one.decisionId === decisionId),
    ) as [[string, typeof pending.messages]];
    const { contentId, format, title, body } = first!;
    await svc.tabTo(contentId);
    await page.keyboard.press('Enter');
    const detail = page.getByRole('complementary', { name: 'Detail' });
    await detail.getByText(format, { exact: true }).waitFor();
    const looks = await detail.getByRole('figure').allInnerTexts();
    expect(looks.some((text) => text.includes(title) && text.includes(body))).toBe(true);
    const messages = detail.getByRole('article');
    expect(await messages.count()).toBe(groups.get(`${format} ${contentId}`)!.length);
    expect(await messages.filter({ hasText: 'waits for the app' }).count()).toBeGreaterThan(0);
    await svc.checkAccessibility();

    const message = messages.first();
    const reported = /dec_\S+$/.exec((await message.getAttribute('aria-label'))!)![0];
    await svc.tabTo('Actioned');
    await page.keyboard.press('Enter');
    await message.getByText('Reported: actioned').waitFor();
    const after = await svc.send<typeof pending>(`/v1/messages?hashId=${data.hashId}`);
    expect(after.messages.map((each) => each.decisionId)).not.toContain(reported);
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
  });

  test('says how many messages wait where no user is chosen', async () => {
    const { page } = svc;
    await svc.go('/messages');
    const latest = page.getByRole('table', { name: 'Latest messages' });
    await latest.waitFor();
    const numbers = (await latest.locator('tbody tr').allInnerTexts()).map((text) =>
      text.split(/\s+/).slice(-2).map(Number),
    );
    const waiting = numbers.flat().reduce((sum, n) => sum + n, 0);
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
