import { expect, it } from 'vitest';
import { MESSAGE_FORMATS } from '../../src/contract/schemas/messages.ts';
import { appPage, checkByAxe } from '../support/app/app-page.ts';
import { hasChromium } from '../support/console/chromium.ts';

const inBrowser = it.skipIf(!hasChromium);
const WAIT = { timeout: 100_000, interval: 50 };
const WITHOUT_SLOT = '<main><h1>Shop</h1><button id="before">Before</button></main>';
const ADD_SLOT = `{
  const slot = document.createElement('svc-slot');
  slot.setAttribute('surface', 'home');
  document.querySelector('main').append(slot);
}`;
const LONG = 'A very long text that goes on. '.repeat(300);
const focused = `(() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  return e?.id || e?.getAttribute('part') || e?.tagName;
})()`;

inBrowser.each(MESSAGE_FORMATS)(
  '%s: shown under a strict policy, read by axe and the keyboard, dismissed',
  async (format) => {
    const { open, decided, outcomes, problems } = await appPage({ format, body: WITHOUT_SLOT });
    await decided();
    const page = await open();
    await page.locator('#before').focus();
    await page.evaluate(ADD_SLOT);
    const message = page.locator('svc-message [part=message]');
    await message.waitFor();
    await expect.poll(outcomes, WAIT).toEqual(['opened']);
    await checkByAxe(page);
    const isDialog = format === 'modal' || format === 'full-screen';
    const passed = new Set<unknown>();
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab');
      passed.add(await page.evaluate(focused));
    }
    expect([...passed]).toEqual(expect.arrayContaining(['action', 'close']));
    // The page behind a dialog cannot be reached.
    expect(passed.has('before')).toBe(!isDialog);
    if (isDialog) await page.keyboard.press('Escape');
    else {
      await page.locator('#before').focus();
      for (let i = 0; i < 6 && (await page.evaluate(focused)) !== 'close'; i++)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    }
    await message.waitFor({ state: 'detached' });
    expect(await page.evaluate(focused)).toBe('before');
    await expect.poll(outcomes, WAIT).toEqual(['opened', 'dismissed']);
    await page.reload();
    await page.evaluate(ADD_SLOT);
    await page.waitForTimeout(500);
    expect([await page.locator('svc-message').count(), problems]).toEqual([0, []]);
  },
);

inBrowser.each(MESSAGE_FORMATS)(
  '%s: a hostile title is text, and a long one fits, from right to left too',
  async (format) => {
    const title = '<img src=x onerror="globalThis.hit = 1">\u202e <script>hit = 2</script>';
    const { open, decided, problems } = await appPage({ format, texts: { title, body: LONG }, lang: 'ar' });
    await decided();
    const page = await open();
    await page.setViewportSize({ width: 320, height: 480 });
    const box = page.locator('svc-message [part=message]');
    await box.waitFor();
    expect(await page.locator('svc-message [part=title]').textContent()).toBe(title);
    expect(await page.evaluate('globalThis.hit')).toBe(undefined);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    for (const part of ['action', 'close']) {
      const button = page.locator(`svc-message [part=${part}]`);
      await button.scrollIntoViewIfNeeded();
      const place = (await button.boundingBox())!;
      expect(place.x >= 0 && place.x + place.width <= 320, part).toBe(true);
    }
    await checkByAxe(page);
    expect(problems).toEqual([]);
  },
);

inBrowser('a tap is clicked, then actioned by the app, each once', async () => {
  const { open, decided, outcomes } = await appPage({ format: 'card', options: { handles: true } });
  await decided();
  const page = await open();
  const button = page.locator('svc-message [part=action]');
  await button.waitFor();
  await button.evaluate((element) => {
    const { click } = element as unknown as { click(): void };
    for (let i = 0; i < 3; i++) click.call(element);
  });
  await expect.poll(async () => (await outcomes()).sort(), WAIT).toEqual(['actioned', 'clicked']);
  expect(await page.evaluate(() => acted)).toEqual(['c-card']);
});

inBrowser.each([
  ['/offer?a=1', true],
  ['javascript:globalThis.hit=1', false],
  ['https://evil.example/', false],
  ['//evil.example/', false],
  ['http://allowed.example/', false],
])('an action leads to %s: %s', async (url, leads) => {
  const { open, decided, origin, outcomes, problems } = await appPage({
    format: 'card',
    options: {
      action: { label: 'Go', url },
      allowedOrigins: ['https://allowed.example', 'http://allowed.example'],
    },
  });
  await decided();
  const page = await open();
  await page.getByRole('button', { name: 'Go' }).click();
  if (leads) await page.waitForURL(origin + url);
  else await page.waitForTimeout(300);
  expect([page.url(), problems]).toEqual([leads ? origin + url : `${origin}/`, []]);
  const reported = async () => (await outcomes()).filter((type) => type !== 'opened').sort();
  await expect.poll(reported, WAIT).toEqual(leads ? ['actioned', 'clicked'] : ['clicked']);
});

inBrowser('two tabs show a message once, and the other one when the first is gone', async () => {
  const { open, decided } = await appPage({ format: 'modal' });
  await decided();
  const [one, two] = [await open(), await open()];
  const count = async () =>
    (await one.locator('svc-message').count()) + (await two.locator('svc-message').count());
  await expect.poll(count, WAIT).toBe(1);
  await two.waitForTimeout(500);
  expect(await count()).toBe(1);
  const shows = (await one.locator('svc-message').count()) === 1 ? one : two;
  await shows.close();
  const third = await open();
  await third.locator('svc-message [part=message]').waitFor();
});

inBrowser('one dialog at a time; polls of a surface are 30 seconds apart', async () => {
  const body =
    '<main><h1>Shop</h1><svc-slot surface="home"></svc-slot><svc-slot surface="cart"></svc-slot></main>';
  const { context, open, decided } = await appPage({ format: 'modal', body });
  let polls = 0;
  context.on('request', (request) => {
    if (request.url().includes('/v1/messages?')) polls++;
  });
  await decided('home');
  await decided('cart');
  const page = await open();
  await page.locator('svc-message [part=message]').first().waitFor();
  await page.waitForTimeout(300);
  expect(await page.locator('svc-message').count()).toBe(1);
  for (let i = 0; i < 20; i++) await page.evaluate(() => app.show({ surface: 'home' }));
  expect(polls).toBe(2);
});

inBrowser('a slot that is removed while it shows a message ends it without an outcome', async () => {
  const { open, decided, outcomes, problems } = await appPage({ format: 'card' });
  await decided();
  const page = await open();
  await page.locator('svc-message').waitFor();
  await page.evaluate(`slot = document.querySelector('svc-slot'), slot.remove()`);
  await page.waitForTimeout(1500);
  expect([await outcomes(), await page.locator('svc-message').count()]).toEqual([[], 0]);
  await page.evaluate(`document.body.append(slot)`);
  await page.locator('svc-message').waitFor();
  expect(problems).toEqual([]);
});

inBrowser('show puts a card over the page; outcomes of a page that is left arrive', async () => {
  const { open, decided, outcomes } = await appPage({ format: 'card', body: '<main><h1>Shop</h1></main>' });
  const decisionId = await decided('checkout');
  const page = await open();
  const shown = await page.evaluate(() => app.show({ surface: 'checkout' }));
  expect(shown).toMatchObject({ decisionId, format: 'card' });
  await checkByAxe(page);
  await page.locator('svc-message [part=close]').click();
  await page.close();
  await expect.poll(outcomes, WAIT).toContain('dismissed');
});
