import { expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/random.ts';
import { appPage } from '../support/app/app-page.ts';
import { hasChromium } from '../support/console/chromium.ts';

const inBrowser = it.skipIf(!hasChromium);
const WAIT = { timeout: 100_000, interval: 50 };

inBrowser(
  'each event is stored exactly once over kills, reloads, lost answers and times offline',
  async () => {
    const { context, open, stored, service } = await appPage({ clientLimits: { user: null, address: null } });
    const random = seededRandom('kills');
    const tracked: string[] = [];
    let losing = false;
    // The service stores what it got, and the browser never learns of it.
    await context.route(`${service.url}/v1/events`, async (route) => {
      if (!losing) return route.continue();
      await route.fetch().catch(() => undefined);
      await route.abort().catch(() => undefined);
    });
    const pages = [await open(), await open()];
    for (let step = 0; step < 25; step++) {
      const i = Math.floor(random() * pages.length);
      const page = pages[i]!;
      const count = 1 + Math.floor(random() * 8);
      const ids = await page.evaluate(
        (count) => Promise.all(Array.from({ length: count }, (_, n) => app.track('step', { n }))),
        count,
      );
      tracked.push(...ids);
      const choice = random();
      if (choice < 0.2) await page.reload();
      else if (choice < 0.4) {
        await page.close();
        pages[i] = await open();
      } else if (choice < 0.5) losing = !losing;
      else if (choice < 0.6) {
        await context.setOffline(true);
        await page.evaluate(() => app.flush());
        await context.setOffline(false);
      } else if (choice < 0.8) await page.evaluate(() => app.flush());
    }
    losing = false;
    expect(new Set(tracked).size).toBe(tracked.length);
    const last = await open();
    const rest = async () => {
      await last.evaluate(() => app.flush());
      return (await stored()).sort();
    };
    await expect.poll(rest, WAIT).toEqual([...tracked].sort());
    expect(await last.evaluate(() => app.dropped)).toBe(0);
  },
);

inBrowser('nothing is sent or stored before start, and nothing after stop', async () => {
  const { context, open, stored } = await appPage({ options: { starts: false } });
  const sent: string[] = [];
  context.on('request', (request) => sent.push(new URL(request.url()).pathname));
  const page = await open();
  await expect(page.evaluate(() => app.track('early'))).rejects.toThrow('is not started');
  expect(sent).toEqual(['/', '/app.js', '/page.js']);
  expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0);
  // At once, before the event is due to be sent.
  const id = await page.evaluate(async () => {
    await app.start();
    const tracked = await app.track('now');
    await app.stop();
    return tracked;
  });
  sent.length = 0;
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  await expect(page.evaluate(() => app.track('late'))).rejects.toThrow('is not started');
  expect([sent, await stored()]).toEqual([[], []]);
  await page.evaluate(() => app.start());
  await expect.poll(stored, WAIT).toEqual([id]);
  await page.evaluate(async () => {
    await app.track('kept');
    app.stop({ forget: true });
  });
  expect(await page.evaluate(() => app.waiting)).toBe(0);
});

inBrowser('what is tracked as the app stops is forgotten, and so is what was not read yet', async () => {
  const { open, stored } = await appPage({ options: { starts: false } });
  const page = await open();
  await page.evaluate(async () => {
    app.start();
    await app.track('kept');
    app.stop();
  });
  await page.reload();
  await page.evaluate(() => {
    app.start();
    app.stop({ forget: true });
  });
  const late = await page.evaluate(async () => {
    app.start();
    await app.track('first');
    const tracked = app.track('late').then(String, String);
    await app.stop({ forget: true });
    return tracked;
  });
  expect(late).toContain('is not started');
  await page.reload();
  const id = await page.evaluate(() => {
    app.start();
    return app.track('after');
  });
  await page.evaluate(() => app.flush());
  await expect.poll(stored, WAIT).toContain(id);
  expect(await stored()).toEqual([id]);
});

inBrowser('a token that comes after a stop is not that of the next user, and asks nothing', async () => {
  const { context, open, rows, tokens, tokenFor, bo, service } = await appPage({
    options: { starts: false },
  });
  const page = await open();
  await page.evaluate(async () => {
    app.start();
    await app.track('of ada');
    app.stop();
  });
  await page.reload();
  const held: (() => void)[] = [];
  await context.route('**/token', async (route) => {
    const answer = await route.fetch();
    await new Promise<void>((release) => held.push(release));
    await route.fulfill({ response: answer });
  });
  const sent: string[] = [];
  await page.evaluate(() => app.start());
  await expect.poll(() => held.length, WAIT).toBe(1);
  await page.evaluate(() => app.stop());
  context.on('request', (request) => sent.push(new URL(request.url()).pathname));
  const answered = page.waitForResponse('**/token');
  held.pop()!();
  await answered;
  await page.waitForTimeout(300);
  expect(sent).toEqual([]);
  await context.unroute('**/token');
  tokens.next = await tokenFor(bo, service, { userId: 'bo' });
  await page.evaluate(async () => {
    app.start();
    await app.track('of bo');
    await app.flush();
  });
  const users = () =>
    rows<{ userId: string; event: string }>(
      'SELECT user_id AS "userId", event FROM event WHERE workspace_id = ?',
    );
  await expect.poll(users, WAIT).toEqual([{ userId: 'bo', event: 'of bo' }]);
});

inBrowser(
  'an event that is too large is refused, and a loop of 10,000 is bounded and counted',
  async () => {
    const { open, stored } = await appPage({ clientLimits: { user: null, address: null } });
    const page = await open();
    await expect(page.evaluate(() => app.track('big', { text: 'x'.repeat(1e6) }))).rejects.toThrow(
      'the event is larger than 18000 characters',
    );
    await page.evaluate(async () => {
      const all = [];
      for (let n = 0; n < 10_000; n++) all.push(app.track('loop', { n }));
      await Promise.all(all);
    });
    const counts = () => page.evaluate(() => ({ waiting: app.waiting, dropped: app.dropped }));
    expect((await counts()).waiting).toBeLessThanOrEqual(1000);
    await expect.poll(async () => (await counts()).waiting, WAIT).toBe(0);
    expect((await stored()).length + (await counts()).dropped).toBe(10_000);
  },
  120_000,
);

inBrowser.each([-40 * 86_400_000, 3_600_000])('corrects a clock that is %i ms wrong', async (wrong) => {
  const { context, open, rows } = await appPage();
  await context.addInitScript((wrong) => {
    const { now } = Date;
    Date.now = () => now() + wrong;
  }, wrong);
  const page = await open();
  await page.evaluate(() => app.track('now'));
  await page.evaluate(() => app.flush());
  const times = () => rows<{ timestamp: string }>('SELECT timestamp FROM event WHERE workspace_id = ?');
  await expect.poll(async () => (await times()).length, WAIT).toBe(1);
  const [{ timestamp }] = (await times()) as [{ timestamp: string }];
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(120_000);
});

inBrowser(
  'a token that was refused is renewed, and what the workspace does not admit is given up',
  async () => {
    const { open, stored, tokens, service } = await appPage();
    tokens.next = `ut_${Buffer.from(`${Math.floor(Date.now() / 1000) + 3600}.nobody\0ada`).toString('base64url')}.${'a'.repeat(43)}`;
    const page = await open();
    const good = await page.evaluate(() => app.track('good'));
    await expect.poll(async () => page.evaluate(() => app.flush()).then(stored), WAIT).toEqual([good]);
    const { updateWorkspace } = await import('../../src/service/admin/accounts.ts');
    await updateWorkspace(service.platform.store, service.workspace, { clientEvents: { good: null } });
    const more = await page.evaluate(() => Promise.all([app.track('bad'), app.track('good')]));
    await expect
      .poll(async () => page.evaluate(() => app.flush()).then(stored), WAIT)
      .toEqual([good, more[1]]);
    expect(await page.evaluate(() => app.dropped)).toBe(1);
  },
);

inBrowser('a page of a foreign origin gets nothing, and is not harmed', async () => {
  const { open, stored, decided, problems } = await appPage({ format: 'card', admitted: false });
  await decided();
  const page = await open();
  await page.evaluate(() => app.track('foreign'));
  await page.evaluate(() => app.flush());
  expect([await stored(), await page.locator('svc-message').count()]).toEqual([[], 0]);
  expect(problems).toEqual([]);
});
