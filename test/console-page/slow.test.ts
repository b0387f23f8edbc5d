import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { drawn } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

/** Notes what moved without an input, as the browser sees it. Words that change where they stand do not jump. */
const WATCH_SHIFTS = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, sources } of list.getEntries())
    for (const { node, previousRect: a, currentRect: b } of hadRecentInput ? [] : sources)
      if (a.x !== b.x || a.y !== b.y)
        shifts.push(node?.nodeName + '.' + node?.className + ' from ' + [a.x, a.y] + ' to ' + [b.x, b.y]);
}).observe({ type: 'layout-shift', buffered: true });`;

describe.runIf(hasChromium)('views that wait for slow answers', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
    await svc.page.addInitScript(WATCH_SHIFTS);
  });
  afterAll(() => svc.stop());

  test('show what is loaded, and nothing jumps when it comes', async () => {
    const { page, data } = svc;
    const views = ['overview', 'live', 'users', 'decisions', 'contents', 'messages', 'notifications'];
    const others = ['webhooks', 'limits', 'imports', 'faults', 'service', 'catalog'];
    const details = [
      `users/${data.hashId}`,
      `decisions/${data.decisionIds[0]}`,
      'catalog/contents/card_offer',
    ];
    const found: string[] = [];
    for (const path of [...views, ...others, ...details]) {
      let held: Route[] | undefined = [];
      await page.route(/\/(api|console)\//, (route) =>
        held === undefined || /\/console\/(session|about)$/.test(route.request().url())
          ? route.continue()
          : void held.push(route),
      );
      await svc.go(`/${path}`);
      // Nothing was answered: what stands in for it is there at once.
      await page.locator('.skeleton').first().waitFor();
      await page.locator('h1').waitFor();
      // One answer after the other, in turn.
      const waiting = held;
      held = undefined;
      for (const route of waiting) {
        await route.continue();
        await drawn(page);
      }
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      await drawn(page);
      await page.unroute(/\/(api|console)\//);
      for (const shift of await page.evaluate<string[]>('shifts')) found.push(`${path}: ${shift}`);
    }
    expect(found).toEqual([]);
  });

  test('nothing jumps where what stands above is answered last', async () => {
    const { page } = svc;
    let late: Route | undefined;
    await page.route(/\/trends\/decisions/, (route) => {
      late = route;
    });
    const first = page.waitForResponse(/\/trends\/events/);
    await svc.go('/overview');
    await (await first).finished();
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await expect.poll(() => late).toBeDefined();
    await late!.continue();
    await page.getByRole('region', { name: 'What was shown' }).waitFor();
    await page.getByRole('region', { name: 'Events stored' }).waitFor();
    await page.unroute(/\/trends\/decisions/);
    expect(await page.evaluate('shifts')).toEqual([]);
  });

  test('shows that it is loaded before its script is there, in the chosen scheme', async () => {
    const { page } = svc;
    await svc.go('/limits');
    await page.getByRole('button', { name: 'Use the dark scheme' }).click();
    let script: Route | undefined;
    await page.route('**/assets/console.js', (route) => {
      script = route;
    });
    await page.goto(page.url());
    await page.getByText('Loading the console…').waitFor();
    expect(await page.locator('.skeleton').count()).toBe(3);
    expect(await page.locator('html').getAttribute('data-scheme')).toBe('dark');
    await expect.poll(() => script).toBeDefined();
    await script!.continue();
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    expect(await page.getByText('Loading the console…').count()).toBe(0);
    await page.unroute('**/assets/console.js');
    await page.getByRole('button', { name: 'Use the light scheme' }).click();
  });

  test('loads a view beside the answer that says which service is shown', async () => {
    const { page } = svc;
    await svc.go('/limits');
    await page.getByText('connected').waitFor();
    await page.route('**/console/about', () => {});
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
