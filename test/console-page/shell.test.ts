import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, newContext } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

const PATHS = ['/overview', '/users', '/decisions', '/contents', '/messages', '/notifications', '/webhooks'];

describe.runIf(hasChromium)("the console's page", () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(async () => {
    await svc.page.setViewportSize({ width: 1280, height: 800 });
    await svc.check();
  });

  test('cuts nothing off at 360, 800 and 1280 pixels', async () => {
    const { page, data } = svc;
    for (const path of [...PATHS, `/users/${data.hashId}`, `/decisions/${data.decisionIds[0]}`]) {
      await svc.go(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      for (const width of [360, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const over: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
      }
    }
  });

  test('reaches every view from the sidebar, and the view past it, by keyboard alone', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the view');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    for (const [name, path] of [
      ['Users', '/users'],
      ['Webhooks', '/webhooks'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link').first().focus();
      await page.keyboard.press('Shift+Tab');
      await svc.tabTo(name);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${path}`);
      // A reader of the keyboard goes on at the title of the new view.
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name);
    }
    await page.goBack();
    await page.waitForURL('**/users');
  });

  test('leads to views and the filter by keys, and lists the keys', async () => {
    const { page } = svc;
    await svc.go('/users');
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL('**/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.placeholder')).toBe('hashId');
    // What is typed into a field stays there.
    await page.keyboard.type('gw?');
    expect(await page.evaluate('document.activeElement.value')).toBe('gw?');
    expect(page.url()).toContain('/decisions');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('to the filter').waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL('**/overview');
  });

  test('enters a list by arrow keys from where one is, and leaves filters and details by Escape', async () => {
    const { page } = svc;
    const row = () =>
      page.evaluate(
        '[...document.querySelectorAll("main tbody tr")].indexOf(document.activeElement.closest("tr"))',
      );
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await row()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    expect(await row()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/decisions/dec_*');
    await page.getByRole('article').waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/decisions');
    expect(await row()).toBe(1);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('view-title');
    // Where there is no field, to the choice of the range.
    await svc.go('/webhooks');
    await page.getByRole('group', { name: 'Range of time' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('radio');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/webhooks?range=*');
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.keyboard.press('j');
    expect(await row()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close the detail' }).click();
    await page.waitForURL('**/decisions');
    await page.getByRole('button', { name: 'Keys' }).press('Enter');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('into the list or form, and to the next row').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
  });

  test('keeps the focus on the page where what had it is gone', async () => {
    const { page, data } = svc;
    await svc.send(`/v1/webhooks/${data.webhookId}`, { status: 'disabled' }, 'PATCH');
    await svc.go('/webhooks');
    await page.getByRole('button', { name: /^Enable http:/ }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Enable the subscription?' });
    await dialog.getByText(/^It missed 0 outcomes/).waitFor();
    await dialog.getByRole('button', { name: 'Enable', exact: true }).press('Enter');
    await page.getByRole('button', { name: /^Enable http:/ }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('view-title');
  });

  test('names the mode of the workspace in its frame, on small screens too, and follows a change', async () => {
    const { page } = svc;
    await svc.go('/limits');
    const test = page.getByTitle(
      'a test workspace: notifications are written to the outbox, no provider is called',
    );
    await test.waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await test.isVisible()).toBe(true);
    await svc.setMode('live');
    // The next answer of the service says it.
    await svc.go('/notifications');
    await page.getByTitle(/^a live workspace/).waitFor();
    await svc.setMode('test');
    await svc.go('/decisions');
    await test.waitFor();
  });

  test('opens the menu of a small screen', async () => {
    const { page } = svc;
    await page.setViewportSize({ width: 360, height: 800 });
    const decisions = page.getByRole('navigation').getByRole('link', { name: 'Decisions' });
    expect(await decisions.isVisible()).toBe(false);
    await svc.tabTo('Menu');
    await page.keyboard.press('Enter');
    await decisions.waitFor();
    await svc.checkAccessibility();
    await decisions.click();
    await page.waitForURL('**/decisions');
    await decisions.waitFor({ state: 'hidden' });
  });

  test('keeps the chosen scheme', async () => {
    const { page } = svc;
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await svc.tabTo('Use the dark scheme');
    await page.keyboard.press('Enter');
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    expect(await background()).toBe(dark);
    await svc.tabTo('Use the light scheme');
    await page.keyboard.press('Enter');
    await expect.poll(background).toBe(light);
  });

  test('shows text of others as text, with invisible characters visible', async () => {
    const { page } = svc;
    const [hashId] = svc.data.hashIds.slice(1);
    const surface = '<img src=x onerror=alert(1)>\u202e\u001b[31m';
    const { decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId,
      context: { channel: 'in-app', surface },
    });
    await svc.go(`/decisions/${decisionId}`);
    const shown = page.getByRole('article').getByText('<img src=x onerror=alert(1)>\\u202e\\x1b[31m').first();
    await shown.waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const cut: number = await page.evaluate(`[...document.querySelectorAll('.table tr')].filter((item) => {
      const right = item.getBoundingClientRect().right;
      return [...item.querySelectorAll('.badge, time')].some((e) => e.getBoundingClientRect().right > right);
    }).length`);
    expect(cut).toBe(0);
  });

  test('a page without a session says how to get a new code, and takes it in the same tab', async () => {
    const context = await newContext();
    const page = await context.newPage();
    const { origin } = new URL(svc.page.url());
    // As of a service whose commands need a profile.
    await context.route('**/console/about', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), commandSuffix: '--profile local' },
      });
    });
    await page.goto(`${origin}/#code=used-or-expired`);
    const needed = page.getByRole('heading', { name: 'This page needs a new code' });
    await needed.waitFor();
    await page.getByText('svc console', { exact: true }).waitFor();
    await page.getByText('add --profile with its name').waitFor();
    // Only the fragment differs: the browser does not load the page again.
    const address = await svc.newAddress();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain('code');
    // A code that was used does not end the session of the tab.
    await page.goto(address);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${origin}/decisions`);
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    expect(await needed.count()).toBe(0);

    // A new tab, as of a link that is opened in one, has the session of the open one, which is nowhere but in the tabs.
    const second = await context.newPage();
    await second.goto(`${origin}/users`);
    await second.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    const token = await page.evaluate<string>("sessionStorage.getItem('svc-console-token')");
    expect(second.url()).not.toContain(token);
    expect(await second.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(token);
    // Once the console refuses the token in one tab, no tab answers with it, and the command is that of the service.
    await second.route('**/console/about', (route) => route.fulfill({ status: 401, json: {} }));
    for (const each of [second, page]) {
      await each.getByRole('heading', { name: 'This page needs a new code' }).waitFor();
      await each.getByText('svc console --profile local', { exact: true }).waitFor();
    }
    await second.unroute('**/console/about');
    await second.reload();
    await second.getByText('svc console --profile local', { exact: true }).waitFor();
    const third = await context.newPage();
    await third.goto(`${origin}/users`);
    await third.getByRole('heading', { name: 'This page needs a new code' }).waitFor();
    await context.close();
  });
});
