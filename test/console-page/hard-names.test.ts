import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

/** Phone, tablet, laptops, large screen, and a laptop at a zoom of 200 %. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
  { width: 720, height: 450 },
];

/** Names of 256 characters and of one, from right to left, and without spaces between words. */
const [LONG, SHORT, ARABIC, JAPANESE] = [
  `long_${'x'.repeat(251)}`,
  'x',
  // cspell:disable-next-line
  'عرض البطاقة الائتمانية المجانية للعملاء الجدد في جميع الفروع',
  '年会費無料のカードを今すぐ申し込むと次の日から使えます',
];
const NAMES = [LONG, SHORT, ARABIC, JAPANESE];

describe.runIf(hasChromium)('views with hard names', () => {
  let svc: RunningConsole;
  let hashId: string;
  let decisionId: string;
  beforeAll(async () => {
    svc = await startConsole({ users: 2 });
    const { catalog } = await svc.send<{ catalog: object }>('/v1/catalog');
    const contents = NAMES.map((name) => ({
      contentId: name,
      category: name,
      tags: [name.slice(0, 64)],
      format: 'card',
      title: name,
      body: name.repeat(3),
    }));
    await svc.send('/v1/catalog', { catalog: { ...catalog, contents } }, 'PUT');
    const { users } = await svc.send<{ users: { hashId: string }[] }>('/v1/users', {
      users: NAMES.map((userId) => ({ userId, traits: { [userId]: userId } })),
    });
    for (const user of users)
      for (const surface of NAMES) {
        const context = { channel: 'in-app', surface };
        const made = { hashId: user.hashId, context };
        ({ decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', made));
      }
    hashId = users[0]!.hashId;
    const url = `http://127.0.0.1:9/${'p'.repeat(1000)}`;
    const events = ['campaign.opened', 'decision.actioned'];
    await svc.send('/v1/webhooks', { url, events, signingSecret: 'a secret of a test' });
    await svc.send(`/v1/messages?hashId=${hashId}`);
    await svc.send('/v1/events', {
      events: NAMES.flatMap((userId) =>
        NAMES.map((event) => ({
          userId,
          event,
          timestamp: new Date().toISOString(),
          properties: { [event]: userId, b: 1 },
        })),
      ),
    });
  });
  afterAll(() => svc.stop());

  test('nothing is cut off, too wide or on top of something else at any size', async () => {
    const { page } = svc;
    const views = ['overview', 'live', 'users', 'decisions', 'contents', 'messages', 'notifications'];
    const others = ['webhooks', 'limits', 'imports', 'faults', 'service', 'catalog'];
    const details = [`users/${hashId}`, `decisions/${decisionId}`];
    const found: string[] = [];
    const editors = NAMES.map((name) => `catalog/contents/${encodeURIComponent(name)}`);
    for (const path of [...views, ...others, ...details, ...editors]) {
      await svc.go(`/${path}`);
      await page.locator('h1').waitFor({ state: 'attached' });
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      for (const size of SIZES) {
        await page.setViewportSize(size);
        found.push(...(await layoutProblems(page)).map((one) => `${path} at ${size.width}: ${one}`));
      }
    }
    expect(found).toEqual([]);
    await svc.check();
  });

  test('a name that is cut shows its beginning, from right to left too, and the whole one in its title', async () => {
    const { page } = svc;
    await page.setViewportSize({ width: 390, height: 844 });
    await svc.go('/catalog');
    const names = page.getByRole('table', { name: 'Contents' }).getByRole('link');
    for (const name of NAMES) {
      const cut = names.filter({ has: page.getByTitle(name, { exact: true }) }).locator('bdi');
      expect(await cut.innerText()).toBe(name);
    }
    const begins = (name: string): Promise<boolean> =>
      page.evaluate(`(() => {
        const cut = document.querySelector('table [title=${JSON.stringify(name)}]');
        const range = document.createRange();
        range.setStart(cut.firstChild, 0);
        range.setEnd(cut.firstChild, 1);
        const [box, first] = [cut.getBoundingClientRect(), range.getBoundingClientRect()];
        return cut.scrollWidth > cut.clientWidth && first.left >= box.left - 1 && first.right <= box.right + 1;
      })()`);
    expect(await begins(LONG)).toBe(true);
    expect(await begins(ARABIC)).toBe(true);
  });
});
