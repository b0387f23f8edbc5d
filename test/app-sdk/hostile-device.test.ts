import { expect, it } from 'vitest';
import { appPage, checkByAxe } from '../support/app/app-page.ts';
import { hasChromium } from '../support/console/chromium.ts';

const inBrowser = it.skipIf(!hasChromium);
const WAIT = { timeout: 100_000, interval: 50 };
const NO_LIMITS = { clientLimits: { user: null, address: null, key: null } };

/** Scripts that run before those of the page. */
const BLOCKED: Readonly<Record<string, string>> = {
  'refuses IndexedDB by an exception': `
    Object.defineProperty(globalThis, 'indexedDB', { get() { throw new DOMException('Insecure.', 'SecurityError'); } });`,
  'refuses to open a database': `
    IDBFactory.prototype.open = () => {
      const request = { error: new DOMException('', 'InvalidStateError') };
      setTimeout(() => request.onerror?.(new Event('error')));
      return request;
    };`,
  'never answers whether a database opens': `
    IDBFactory.prototype.open = () => ({});`,
  'is full': `
    IDBObjectStore.prototype.put = Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };`,
  'has no storage and no locks': `
    for (const name of ['localStorage', 'indexedDB'])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('', 'SecurityError'); } });
    Object.defineProperty(navigator, 'locks', { value: undefined });`,
  'has a foreign value in its storage': `
    Storage.prototype.getItem = () => '{"a":1}';`,
};

inBrowser.each(Object.entries(BLOCKED))(
  'a browser that %s tracks and shows nevertheless',
  async (_, block) => {
    const { context, open, stored, outcomes, decided, problems } = await appPage({
      ...NO_LIMITS,
      format: 'card',
    });
    await context.addInitScript({ content: block });
    await decided();
    const page = await open();
    // Whether it is kept is not known where the database never answers: it is sent all the same.
    await page.evaluate(() => void app.track('now'));
    await expect.poll(async () => page.evaluate(() => app.flush()).then(stored), WAIT).toHaveLength(1);
    await page.locator('svc-message [part=close]').click();
    await expect.poll(outcomes, WAIT).toContain('dismissed');
    await page.evaluate(() => app.show({ surface: 'home' }));
    expect([await page.locator('svc-message').count(), problems]).toEqual([0, []]);
  },
);

inBrowser('what the user cleared meanwhile is stored again', async () => {
  const { context, open, stored, service } = await appPage(NO_LIMITS);
  const page = await open();
  await page.evaluate(() => app.track('before'));
  await page.evaluate(() => app.flush());
  await expect.poll(stored, WAIT).toHaveLength(1);
  await page.evaluate(`indexedDB.databases().then(([{ name }]) => new Promise((done) => {
    indexedDB.deleteDatabase(name).onsuccess = () => done();
  }))`);
  await context.route(`${service.url}/v1/events`, (route) => route.abort());
  await page.evaluate(() => app.track('after'));
  await page.close();
  await context.unroute(`${service.url}/v1/events`);
  const next = await open();
  await expect.poll(async () => next.evaluate(() => app.flush()).then(stored), WAIT).toHaveLength(2);
});

inBrowser('a message that one tab closed does not come back in another one', async () => {
  const { context, open, decided, service } = await appPage({ ...NO_LIMITS, format: 'modal' });
  await decided();
  const [one, two] = [await open(), await open()];
  const shownIn = async () => ((await one.locator('svc-message').count()) === 1 ? one : two);
  await expect
    .poll(
      async () => (await one.locator('svc-message').count()) + (await two.locator('svc-message').count()),
      WAIT,
    )
    .toBe(1);
  const shows = await shownIn();
  const other = shows === one ? two : one;
  // The service does not learn of it, and the other tab knows the message from its own poll.
  await context.route(`${service.url}/v1/messages/**`, (route) => route.abort());
  await shows.keyboard.press('Escape');
  await shows.locator('svc-message').waitFor({ state: 'detached' });
  await other.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await other.evaluate(() => app.show({ surface: 'home' }));
  await other.waitForTimeout(300);
  expect(await other.locator('svc-message').count()).toBe(0);
});

inBrowser('a hundred slots: a surface is asked for once, and each message is in one of them', async () => {
  const slots = (surface: string, count: number) =>
    `<svc-slot surface="${surface}"></svc-slot>`.repeat(count);
  const body = `<main><h1>Shop</h1>${slots('home', 50)}${slots('cart', 50)}</main>`;
  const { context, open, decided, problems } = await appPage({ ...NO_LIMITS, format: 'card', body });
  let polls = 0;
  context.on('request', (request) => {
    if (request.url().includes('/v1/messages?') && request.method() === 'GET') polls++;
  });
  await decided('home');
  await decided('cart');
  const page = await open();
  await expect.poll(() => page.locator('svc-message').count(), WAIT).toBe(2);
  await page.waitForTimeout(300);
  expect([await page.locator('svc-message').count(), polls, problems]).toEqual([2, 2, []]);
});

inBrowser('a hundred surfaces are more than a user may ask for, and events arrive nevertheless', async () => {
  const body = Array.from({ length: 100 }, (_, i) => `<svc-slot surface="s${i}"></svc-slot>`).join('');
  const { context, open, stored, problems } = await appPage({
    body,
    clientLimits: { user: 60, address: null, key: null },
    windowMs: 3000,
  });
  let refused = 0;
  context.on('response', (response) => {
    if (response.status() === 429) refused++;
  });
  const page = await open();
  const id = await page.evaluate(() => app.track('seen'));
  await page.evaluate(() => app.flush());
  await expect.poll(() => refused, WAIT).toBeGreaterThan(0);
  await expect.poll(stored, { interval: 100 }).toEqual([id]);
  expect(problems).toEqual([]);
});

inBrowser(
  'a slot that is moved keeps its message, and one whose surface changes shows another one',
  async () => {
    const { open, decided, outcomes } = await appPage({ ...NO_LIMITS, format: 'card' });
    const [home, cart] = [await decided('home'), await decided('cart')];
    const page = await open();
    await page.locator('svc-message').waitFor();
    await page.evaluate(`slot = document.querySelector('svc-slot'), document.body.prepend(slot)`);
    await page.locator('svc-message').waitFor();
    await page.evaluate(`slot.setAttribute('surface', 'cart')`);
    await page.locator('svc-message [part=close]').click();
    await expect.poll(outcomes, WAIT).toContain('dismissed');
    expect(home).not.toBe(cart);
    await page.evaluate(`slot.setAttribute('surface', 'home')`);
    await page.locator('svc-message').waitFor();
  },
);

inBrowser('the second dialog comes once the first is closed', async () => {
  const body =
    '<main><h1>Shop</h1><svc-slot surface="home"></svc-slot><svc-slot surface="cart"></svc-slot></main>';
  const { open, decided } = await appPage({ ...NO_LIMITS, format: 'modal', body });
  await decided('home');
  await decided('cart');
  const page = await open();
  for (let i = 0; i < 2; i++) {
    await page.locator('svc-message [part=message]').waitFor();
    expect(await page.locator('svc-message').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(200);
  }
  await expect.poll(() => page.locator('svc-message').count(), WAIT).toBe(0);
});

inBrowser('another user of the same page gets nothing of the first', async () => {
  const { open, decided, tokens, tokenFor, bo, service } = await appPage({ ...NO_LIMITS, format: 'card' });
  await decided();
  const page = await open();
  await page.locator('svc-message').waitFor();
  await page.evaluate(() => app.stop());
  expect(await page.locator('svc-message').count()).toBe(0);
  tokens.next = await tokenFor(bo, service, { userId: 'bo' });
  await page.evaluate(() => app.start());
  await page.waitForResponse('**/v1/messages?*');
  await page.waitForTimeout(300);
  expect(await page.locator('svc-message').count()).toBe(0);
});

inBrowser('a token that comes after a stop shows nothing to the next user', async () => {
  const { context, open, decided, tokens, tokenFor, bo, service } = await appPage({
    ...NO_LIMITS,
    format: 'card',
    options: { starts: false },
  });
  await decided();
  const page = await open();
  const held: (() => void)[] = [];
  await context.route('**/token', async (route) => {
    const response = await route.fetch();
    await new Promise<void>((release) => held.push(release));
    await route.fulfill({ response });
  });
  await page.evaluate(() => app.start());
  await expect.poll(() => held.length, WAIT).toBe(1);
  tokens.next = await tokenFor(bo, service, { userId: 'bo' });
  await page.evaluate(() => {
    app.stop();
    app.start();
  });
  await expect.poll(() => held.length, WAIT).toBe(2);
  held[1]!();
  await page.waitForResponse('**/v1/messages?*');
  held[0]!();
  await page.waitForTimeout(500);
  expect(await page.locator('svc-message').count()).toBe(0);
});

inBrowser('long words in the buttons fit into 320 pixels', async () => {
  const action = { label: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung'.repeat(3) };
  const { open, decided } = await appPage({ ...NO_LIMITS, format: 'modal', lang: 'ar', options: { action } });
  await decided();
  const page = await open();
  await page.setViewportSize({ width: 320, height: 480 });
  await page.locator('svc-message [part=message]').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  for (const part of ['action', 'close']) {
    const place = (await page.locator(`svc-message [part=${part}]`).boundingBox())!;
    expect(place.x >= 0 && place.x + place.width <= 320, part).toBe(true);
    expect(place.y >= 0 && place.y + place.height <= 480, part).toBe(true);
  }
  await checkByAxe(page);
});
