import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('a page that loses what is behind it', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());

  test('shows what a slow console answers, although it asks it at intervals', async () => {
    const { page } = svc;
    let asked = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.clock.install();
    await page.route('**/console/service', async (route) => {
      asked++;
      await answered;
      const unknown = { ready: null, version: null, backlog: null, nodes: null, data: null, inside: false };
      await route.fulfill({ json: { reached: false, ...unknown } }).catch(() => undefined);
    });
    await svc.go('/service');
    await expect.poll(() => asked).toBe(1);
    await page.clock.runFor(30_000);
    answer();
    await page.getByText('does not answer', { exact: true }).waitFor();
    const status = page.getByRole('banner').getByRole('status');
    await status.getByText('the service does not answer').waitFor();
    await page.unroute('**/console/service');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('ready', { exact: true }).waitFor();
    await status.getByText('connected').waitFor();
    await svc.check();
  });

  test('loads what had to wait for the rate limit as soon as there is room', async () => {
    const { page } = svc;
    await page.route(
      '**/api/v1/contents',
      (route) =>
        route.fulfill({
          status: 429,
          json: {
            error: 'console_share',
            message: 'The next request can be sent in 20 s.',
            retryAfterMs: 20_000,
          },
        }),
      { times: 1 },
    );
    await svc.go('/contents');
    await page.getByText('Waiting for the rate limit').waitFor();
    await page.getByText('The next request can be sent in 20 s.').waitFor();
    await page.clock.runFor(20_000);
    await page.getByRole('row', { name: /card_offer/ }).waitFor();
    expect(await page.getByText('Waiting for the rate limit').count()).toBe(0);
    svc.forgetFailedRequests();
    await svc.check();
    await page.clock.resume();
  });

  test('shows what a service offers that lacks half of the operations, and says what it does not offer', async () => {
    const { page, data } = svc;
    const missing = /\/api\/v1\/(overview|model|messages|webhooks|events\/watch|users)(\/|\?|$)/;
    await page.route(missing, (route) =>
      route.fulfill({
        status: 501,
        json: { error: 'not_offered', message: 'The service does not offer it.' },
      }),
    );
    const without = ['overview', 'live', 'contents', 'webhooks', 'users', `users/${data.hashId}`];
    for (const path of [...without, 'decisions', 'catalog', 'notifications', 'limits', 'service']) {
      await svc.go(`/${path}`);
      await page.locator('h1').waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      const said = await page.getByText('This service does not offer it').count();
      expect(said > 0, path).toBe(without.includes(path));
      expect(await page.getByRole('alert').count(), path).toBe(0);
      expect(await layoutProblems(page), path).toEqual([]);
      if (path === 'live') await svc.checkAccessibility();
    }
    // The rest of a view is there.
    await svc.go('/contents');
    await page.getByRole('row', { name: /card_offer/ }).waitFor();
    await page.unroute(missing);
    svc.forgetFailedRequests();
    await svc.check();
  });

  test('says how to start a service that does not answer, and comes back by itself', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    const table = page.getByRole('table', { name: 'Decisions' });
    await table.waitFor();
    const gone = page.getByRole('alert').filter({ hasText: 'what you see is from before' });
    await svc.restart(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await gone.getByText(/^svc serve --port \d+$/).waitFor();
      // What was shown stays.
      expect(await table.count()).toBe(1);
      await svc.checkAccessibility();
      await page.reload();
      await gone.waitFor();
      expect(await table.count()).toBe(0);
    });
    await table.waitFor();
    await gone.waitFor({ state: 'detached' });
    svc.forgetFailedRequests();
    await svc.check();
  });

  test('says in the sidebar that the service or the console does not answer', async () => {
    const { page } = svc;
    const status = page.getByRole('banner').getByRole('status');
    const says = (text: string) => status.getByText(text).waitFor();
    await svc.go('/live');
    await says('connected');
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
    await svc.restart(() => says('the service does not answer'));
    // The stream is taken up again without anybody's help.
    await says('connected');
    svc.forgetFailedRequests();
    await svc.check();
    await svc.stopConsole();
    await says('the console does not answer');
    await svc.checkAccessibility();
    // What was shown stays.
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Live events');
    await svc.check({ failedRequests: 'ignored' });
  });
});
