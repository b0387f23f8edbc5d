import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the live view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole({ users: 2 });
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  const ingest = (...events: readonly { userId: string; properties?: object }[]) =>
    svc.send('/v1/events', {
      // Users are known by hashId alone in the page: rows are told apart by a property.
      events: events.map(({ userId, properties }) => ({
        userId,
        event: 'tapped',
        timestamp: new Date().toISOString(),
        properties: { tag: userId, ...properties },
      })),
    });
  const rows = () => svc.page.getByRole('table', { name: 'Events', exact: true }).getByRole('row');
  const row = (text: string) => rows().filter({ hasText: text });
  /** Opens the view, and waits until it follows the stream. */
  const open = async (path = '/live') => {
    await svc.go(path);
    await svc.page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  };

  test('shows events as they arrive, and counts them', async () => {
    const { data } = svc;
    // The sample may be older than the chart is long, where the machine is slow.
    await ingest({ userId: 'u-15' }, { userId: 'u-16' });
    await open();
    // It opens with the latest ones that are stored, which did not arrive now.
    await row(data.hashId.slice(0, 8)).first().waitFor();
    const { events } = await svc.send<{ events: { stored: number } }>('/v1/overview');
    expect(await rows().count()).toBe(events.stored + 1);
    await svc.page.getByText(`${events.stored} stored in all`).waitFor();
    await svc.page.getByText('since this view was opened 0 received').waitFor();
    // Its chart is filled by them: nothing of the axis is unknown.
    const rates = svc.page.getByRole('region', { name: 'Events a second' });
    await rates.getByText('Figures as a table').press('Enter');
    const received = async () => {
      const figures = await rates.getByRole('row').allInnerTexts();
      return figures.slice(1).map((text) => Number(text.split(/\s+/).at(-1)));
    };
    // A second is listed once it is over.
    const sum = async () => (await received()).reduce((sum, n) => sum + n, 0);
    await expect.poll(sum).toBeGreaterThanOrEqual(2);
    expect(await sum()).toBeLessThanOrEqual(events.stored);
    expect((await received()).length).toBeGreaterThan(100);
    await rates.getByText('Figures as a table').press('Enter');
    await ingest({ userId: 'u-17', properties: { amount: 12.5, email: 'canary.featherstone@example.org' } });
    await row('u-17').waitFor();
    expect(await row('u-17').innerText()).toMatch(/tapped[\s\S]*amount 12\.5[\s\S]*email \*\*\*/);
    await svc.page.getByText('since this view was opened 1 received', { exact: false }).waitFor();
    await svc.page
      .getByRole('heading', { name: /^\d+ events? in the last second; peak of the last two minutes: \d+$/ })
      .waitFor();
    expect(await svc.page.getByText('matched').count()).toBe(0);
    // Seven names are all named: that there is one other would not say which.
    const names = svc.page.locator('.mix button');
    const first = await names.count();
    expect(first).toBeLessThan(7);
    const timestamp = new Date().toISOString();
    const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].slice(first);
    for (const event of others)
      await svc.send('/v1/events', { events: [{ userId: 'u-18', event: `other_${event}`, timestamp }] });
    await expect.poll(() => names.count()).toBe(7);
    await svc.send('/v1/events', { events: [{ userId: 'u-18', event: 'one_more', timestamp }] });
    await svc.page.getByText('and 2 other names').waitFor();
    expect(await names.count()).toBe(6);
    await svc.checkAccessibility();
  });

  test('says what is wrong with a filter while it is typed, keeps it over a reload, and copies it', async () => {
    const { page } = svc;
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('amount>');
    await page.getByText('Expected a number after >, at character 8.').waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.type('100 -source:web');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=/);
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('amount>100 -source:web');
    await ingest(
      { userId: 'too-small', properties: { amount: 1 } },
      { userId: 'from-web', properties: { amount: 101, source: 'web' } },
      { userId: 'marked', properties: { amount: 101, source: 'ios' } },
    );
    await row('marked').waitFor();
    await page.getByText(/4 shown · .* 3 received, 1 matched$/).waitFor();
    // The chart begins when the page did, as what was received before is not known here.
    const rates = page.getByRole('region', { name: 'Events a second' });
    await rates
      .getByRole('heading', { name: /peak of the last \d+ seconds?: \d+; the filter counts since [\d:]{8}$/ })
      .waitFor();
    await rates.getByText('Figures as a table').press('Enter');
    expect((await rates.getByRole('row').nth(1).innerText()).split(/\s+/).slice(-2)).not.toContain('–');
    // Three of the events that were stored before match too.
    expect(await rows().count()).toBe(1 + 3 + 1);
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(/^svc events tail '--filter=amount>100 -source:web'/);
  });

  test('applies a filter where typing pauses, and says since when it counts', async () => {
    const { page } = svc;
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('amount>20 ');
    await page.waitForURL(/filter=amount%3E20$/);
    await page.getByText('since the filter was changed 0 received, 0 matched').waitFor();
    // What was received before stays drawn, and no filter counted it.
    const rates = page.getByRole('region', { name: 'Events a second' });
    await rates
      .getByRole('heading', { name: /peak of the last two minutes: \d+; the filter counts since [\d:]{8}$/ })
      .waitFor();
    await rates.getByText('Figures as a table').press('Enter');
    expect(await rates.getByRole('row').nth(1).innerText()).toMatch(/–$/);
    await rates.getByText('Figures as a table').press('Enter');
    await page.getByLabel('Filter', { exact: true }).focus();
    await page.keyboard.press('End');
    // What is typed on stays as it is.
    await page.keyboard.type('tapped');
    await page.waitForURL(/filter=amount%3E20.tapped|filter=amount%3E20%20tapped/);
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('amount>20 tapped');
  });

  test('says of how many events none matches', async () => {
    const { events } = await svc.send<{ events: { stored: number } }>('/v1/overview');
    await open('/live?filter=never:seen');
    await svc.page.getByText(`None of the latest ${events.stored} events matches.`).waitFor();
    await svc.checkAccessibility();
  });

  test('pauses, says how many wait, and opens an event by keyboard alone', async () => {
    const { page } = svc;
    await open();
    await ingest({ userId: 'first', properties: { amount: 7 } });
    await row('first').waitFor();
    const before = await rows().count();
    await page.keyboard.press('Space');
    await page.getByRole('status').filter({ hasText: 'paused' }).waitFor();
    await ingest({ userId: 'second' }, { userId: 'third' });
    await page.getByRole('button', { name: 'Resume, 2 new events' }).waitFor();
    expect(await rows().count()).toBe(before);
    await page.keyboard.press('Space');
    await row('third').waitFor();
    // The first tab stop in the list is its newest event.
    await svc.tabTo(/^\d\d:\d\d:\d\d\.\d\d\d$/);
    await page.getByRole('status').filter({ hasText: 'paused' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const detail = page.getByRole('complementary', { name: 'Detail' });
    await detail.getByText('first', { exact: true }).waitFor();
    await svc.checkAccessibility();
    await svc.tabTo('Filter by amount 7');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=amount%3A7/);
  });

  test('opens an event by a click anywhere on its row, as JSON that is copied, and filters by its name', async () => {
    const { page } = svc;
    await open();
    await ingest({ userId: 'clicked', properties: { amount: 7, first: true } });
    await row('clicked').getByText('amount').click();
    const detail = page.getByRole('complementary', { name: 'Detail' });
    const shown = JSON.parse(await detail.locator('pre').innerText());
    expect(Object.keys(shown)).not.toContain('userId');
    expect(shown).toMatchObject({
      hashId: expect.stringMatching(/^[0-9a-f]{64}$/),
      event: 'tapped',
      properties: { amount: 7, first: true },
    });
    await detail.getByRole('button', { name: 'Copy: this event as JSON' }).press('Enter');
    await detail.getByText('Copied').waitFor({ state: 'attached' });
    expect(JSON.parse(await svc.copied())).toEqual(shown);
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    await page
      .getByText(/^In the list:/)
      .getByRole('button', { name: /^tapped \d+ %$/ })
      .press('Enter');
    await page.waitForURL(/filter=event.*tapped/);
  });

  test('shows names of properties with their invisible characters, and says where digits are lost', async () => {
    const { page } = svc;
    await open();
    await ingest({ userId: 'hostile', properties: { '\u202eevil': 'x', big: 2 ** 60 } });
    await row('hostile').getByRole('button').click();
    const detail = page.getByRole('complementary', { name: 'Detail' });
    await detail.getByText('\\u202eevil').first().waitFor();
    expect(await detail.locator('dt').allInnerTexts()).toContain('\\u202eevil');
    await detail.getByText(`≈ ${2 ** 60}`).waitFor();
    expect(await page.content()).not.toContain('\u202e');
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'hidden' });
  });

  test('gives its connection to other tabs while it is hidden, and then goes on without a gap or a double', async () => {
    const { page } = svc;
    await page.clock.install();
    await open('/live?filter=tapped');
    await ingest({ userId: 'before-hidden' });
    await row('before-hidden').waitFor();
    const hide = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/watch'));
    // A short look at another tab costs nothing.
    await hide(true);
    await page.clock.runFor(4000);
    await hide(false);
    await hide(true);
    // The clock goes on by itself, too.
    await page.clock.runFor(3000);
    expect(await page.getByRole('status').filter({ hasText: 'live' }).count()).toBe(1);
    await page.clock.runFor(2000);
    await closed;
    await page.getByText('closed while hidden').waitFor();
    await ingest({ userId: 'while-hidden' });
    await hide(false);
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
    await row('while-hidden').waitFor();
    await ingest({ userId: 'after-hidden' });
    await row('after-hidden').waitFor();
    expect(await row('-hidden').count()).toBe(3);
    await page.clock.resume();
  });

  test('resumes without a gap or a double when the service restarts', async () => {
    const { page } = svc;
    await open('/live?filter=wanted:yes');
    const wanted = (userId: string) => ({ userId, properties: { wanted: 'yes' } });
    await ingest(wanted('before-restart'), { userId: 'unwanted' });
    await row('before-restart').waitFor();
    // A tick that is lost is not counted again.
    await page.getByText(/1 shown · .* 2 received, 1 matched$/).waitFor();
    await svc.restart(async () => {
      await page.getByText(/The stream was lost\. It resumes/).waitFor();
    });
    await ingest(wanted('after-restart'), { userId: 'unwanted' });
    await row('after-restart').waitFor();
    await page.getByText('The stream was lost once, and resumed after the last event.').waitFor();
    await page.getByText(/2 shown · .* 4 received, 2 matched$/).waitFor();
    expect(await rows().allInnerTexts()).toHaveLength(3);
    svc.forgetFailedRequests();
  });

  test('says that it shows a sample where more events match than can be shown', async () => {
    const { page } = svc;
    await open();
    let sending = true;
    const burst = Array.from({ length: 1000 }, (_, i) => ({ userId: `u${i}` }));
    const send = (async () => {
      while (sending) await ingest(...burst);
    })();
    try {
      await page.getByText(/^Sampled: [\d,]+ of the [\d,]+ events/).waitFor();
    } finally {
      sending = false;
      await send;
    }
  });
});
