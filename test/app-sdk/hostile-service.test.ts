import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { appPage } from '../support/app/app-page.ts';
import { hasChromium } from '../support/console/chromium.ts';

const inBrowser = it.skipIf(!hasChromium);
const WAIT = { timeout: 100_000, interval: 50 };
const NO_LIMITS = { clientLimits: { user: null, address: null, key: null } };
const EVENTS = '**/v1/events';

const track = (page: Page, name: string) => page.evaluate((name) => app.track(name), name);
const flush = (page: Page) => page.evaluate(() => app.flush());
const counts = (page: Page) => page.evaluate(() => ({ waiting: app.waiting, dropped: app.dropped }));
/** Moves the clock of a page, which its ticks do not follow. */
const moveClock = (page: Page, ms: number) =>
  page.evaluate((ms) => {
    const { now } = Date;
    Date.now = () => now() + ms;
  }, ms);

inBrowser.each([
  [200, 'text/html'],
  [404, 'text/html'],
  [403, 'text/html'],
  [200, 'application/json'],
])('what a proxy answers with %i and %s is no answer of the service', async (status, contentType) => {
  const { context, open, stored } = await appPage(NO_LIMITS);
  let answered = 0;
  await context.route(EVENTS, async (route) => {
    answered++;
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({
      status,
      contentType,
      headers,
      body: contentType === 'text/html' ? '<h1>Hi' : '[]',
    });
  });
  const page = await open();
  const id = await track(page, 'kept');
  await flush(page);
  await expect.poll(() => answered, WAIT).toBeGreaterThan(0);
  expect([await counts(page), await stored()]).toEqual([{ waiting: 1, dropped: 0 }, []]);
  await context.unroute(EVENTS);
  await page.reload();
  await expect.poll(stored, WAIT).toEqual([id]);
  await expect.poll(() => counts(page), WAIT).toEqual({ waiting: 0, dropped: 0 });
});

inBrowser('a long Retry-After is kept to, also by polls and while the page is left', async () => {
  const { context, open, stored, service } = await appPage(NO_LIMITS);
  const asked: string[] = [];
  let isLimited = true;
  await context.route(`${service.url}/v1/**`, async (route) => {
    if (route.request().method() === 'OPTIONS' || !isLimited) return route.continue();
    asked.push(new URL(route.request().url()).pathname);
    await route.fulfill({
      status: 429,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
        // More than a timer can wait for: those of browsers end at once beyond 2^31 ms.
        'retry-after': '99999999',
      },
      json: { error: 'rate_limited', code: 'RATE_LIMITED', requestId: 'req_1', message: 'Slow down.' },
    });
  });
  const page = await open();
  const id = await track(page, 'kept');
  await flush(page);
  await expect.poll(() => asked, WAIT).toContain('/v1/events');
  await expect.poll(() => asked, WAIT).toContain('/v1/messages');
  asked.length = 0;
  for (let i = 0; i < 5; i++) {
    await flush(page);
    await page.evaluate(`dispatchEvent(new Event('pagehide')); dispatchEvent(new Event('online'))`);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  }
  await page.waitForTimeout(500);
  expect([asked, await counts(page)]).toEqual([[], { waiting: 1, dropped: 0 }]);
  isLimited = false;
  await page.reload();
  await expect.poll(stored, WAIT).toEqual([id]);
});

inBrowser('an answer that never comes holds nothing up for longer than its time', async () => {
  const { context, open, outcomes, decided } = await appPage({ ...NO_LIMITS, format: 'card' });
  await context.addInitScript(() => {
    const { setTimeout } = globalThis;
    // The time for an answer, 15 seconds, is over sooner.
    const sooner = (work: () => void, ms?: number) => setTimeout(work, ms === 15_000 ? 3000 : ms);
    globalThis.setTimeout = sooner as typeof setTimeout;
  });
  let hanging = 1;
  await context.route('**/outcomes', (route) => (hanging-- > 0 ? undefined : route.continue()));
  await decided();
  const page = await open();
  await page.locator('svc-message [part=close]').click();
  await expect.poll(outcomes, WAIT).toContain('dismissed');
  await expect.poll(() => counts(page), WAIT).toEqual({ waiting: 0, dropped: 0 });
});

inBrowser.each([-5 * 3_600_000, 5 * 3_600_000, 9 * 86_400_000, -9 * 86_400_000])(
  'the time of an event stands although the clock jumps by %i ms',
  async (jump) => {
    const { open, rows } = await appPage(NO_LIMITS);
    const page = await open();
    // The first poll has told the time.
    await page.waitForResponse('**/v1/messages?*');
    await track(page, 'before');
    await moveClock(page, jump);
    await track(page, 'after');
    await flush(page);
    const times = () =>
      rows<{ event: string; timestamp: string }>(
        'SELECT event, timestamp FROM event WHERE workspace_id = ? ORDER BY number',
      );
    await expect.poll(async () => (await times()).length, WAIT).toBe(2);
    for (const { event, timestamp } of await times())
      expect(Math.abs(Date.parse(timestamp) - Date.now()), event).toBeLessThan(60_000);
    expect((await counts(page)).dropped).toBe(0);
  },
);

inBrowser('a clock that is an hour behind is corrected where no poll has told the time', async () => {
  const { context, open, rows } = await appPage({ ...NO_LIMITS, body: '<h1>No slot</h1>' });
  await context.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
  });
  const page = await open();
  await page.evaluate(() => Promise.all([app.track('one'), app.track('two')]));
  await page.evaluate(() => Promise.all([app.flush(), app.flush()]));
  const times = () => rows<{ timestamp: string }>('SELECT timestamp FROM event WHERE workspace_id = ?');
  await expect.poll(async () => (await times()).length, WAIT).toBe(2);
  for (const { timestamp } of await times())
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
});

inBrowser('a clock that is set back delays neither polls nor events', async () => {
  const { context, open, decided, stored } = await appPage({ ...NO_LIMITS, format: 'card' });
  let polls = 0;
  context.on('request', (request) => {
    if (request.url().includes('/v1/messages?') && request.method() === 'GET') polls++;
  });
  const page = await open();
  await expect.poll(() => polls, WAIT).toBe(1);
  await page.evaluate(() => {
    const { now } = performance;
    // Half a minute passes, in which the clock is set back by a day.
    performance.now = () => now.call(performance) + 31_000;
  });
  await moveClock(page, -86_400_000);
  await decided();
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.locator('svc-message').waitFor();
  const id = await track(page, 'now');
  await expect.poll(stored, WAIT).toEqual([id]);
});
