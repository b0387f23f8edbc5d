import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

interface Contents {
  readonly items: readonly {
    id: string;
    served: number;
    rewarded: number;
    rate: number | null;
    goals?: readonly object[];
  }[];
}

describe.runIf(hasChromium)('the contents view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('shows what each content earned, and one in detail by keyboard alone', async () => {
    const { page } = svc;
    // The figures follow once the outcomes are settled.
    const contents = async () => (await svc.send<Contents>('/v1/contents')).items;
    await expect.poll(async () => (await contents()).some(({ rewarded }) => rewarded > 0)).toBe(true);
    await svc.go('/contents');
    const table = page.getByRole('table', { name: 'Contents' });
    await table.waitFor();
    const items = await contents();
    expect(await table.getByRole('row').count()).toBe(items.length + 1);
    const served = items.find((item) => item.served > 0)!;
    const row = table.getByRole('row', { name: new RegExp(`^${served.id}`) });
    // More may be settled after the page was read.
    const same = async () => {
      await svc.go('/contents');
      const now = (await contents()).find(({ id }) => id === served.id)!;
      return (await row.innerText()).split(/\s+/).includes(String(now.served));
    };
    await expect.poll(same).toBe(true);
    await page.getByText(/^\d+ outcomes? learned so far$/).waitFor();
    // What few ask for is made once it is opened.
    await page.getByText(/^More charts/).press('Enter');
    const curve = page.getByRole('region', { name: 'What it learned' });
    await curve
      .getByText(/of the last 1 hour with any were acted on|of the last \d hours with any/)
      .waitFor();
    const rates = page.getByRole('region', { name: 'Rates over time' });
    await rates
      .getByRole('heading', { name: /^Of the contents served most, .* in the last 24 hours/ })
      .waitFor();
    await page.getByRole('heading', { name: /earns most|is ahead so far|earned anything/ }).waitFor();
    await page
      .getByRole('region', { name: 'Learned against holdout' })
      .getByText('Learned', { exact: false })
      .first()
      .waitFor();
    await svc.tabTo(served.id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/contents/${served.id}`);
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByText('95 % interval').waitFor();
    await svc.checkAccessibility();
    await panel.getByRole('link', { name: 'Its entry in the catalog' }).press('Enter');
    await page.waitForURL(`**/catalog/contents/${served.id}`);
    await page.getByRole('link', { name: 'What it earns' }).press('Enter');
    await page.waitForURL(`**/contents/${served.id}`);
    await panel.getByText('95 % interval').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/contents');
  });

  test('says why more messages were acted on or dismissed than served', async () => {
    const { page } = svc;
    let dismissed = 2;
    const counts = () => ({ served: 10, rewarded: 8, dismissed });
    await page.route(/v1\/contents(\?|$)/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({
        json: { ...body, items: body.items.map((one: object) => ({ ...one, ...counts() })) },
      });
    });
    await page.route('**/v1/contents/card_offer', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), ...counts() } });
    });
    const panel = page.getByRole('complementary', { name: 'Detail' });
    const title = page.getByRole('columnheader', { name: 'Dismissed' });
    const why = 'some after they were acted on: these count as both';
    await page.setViewportSize({ width: 1900, height: 900 });
    await svc.go('/contents/card_offer');
    await panel.getByText('2 messages', { exact: true }).waitFor();
    expect(await panel.getByText(why).count()).toBe(0);
    expect(await title.innerText()).toMatch(/messages$/);
    dismissed = 3;
    await page.reload();
    await panel.getByText(why).waitFor();
    expect(await title.innerText()).toMatch(/also after acted on$/);
    await svc.checkAccessibility();
    await page.unrouteAll({ behavior: 'wait' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('says of the best content that it is not certain, also against one that was rarely served', async () => {
    const { page } = svc;
    await page.route('**/v1/trends/decisions?*', async (route) => {
      const response = await route.fetch();
      const { from, ...body } = await response.json();
      const contentOf = (contentId: string, total: object) => ({
        contentId,
        served: [],
        total: { from, rewarded: 1, ...total },
        rates: [{ from, rewarded: 1, ...total }],
      });
      const contents = [
        contentOf('card_often', { served: 100, rate: 0.18, low: 0.02, high: 0.74 }),
        contentOf('card_rarely', { served: 12, rate: 0.05, low: 0, high: 0.2 }),
      ];
      await route.fulfill({ response, json: { ...body, from, contents } });
    });
    await svc.go('/contents');
    await page
      .getByRole('heading', {
        name: /card_often ?is ahead in the last 24 hours with 18 %, but not for certain: card_rarely ?has 5\.0 % of only 12 messages$/,
      })
      .waitFor();
    await page.unroute('**/v1/trends/decisions?*');
  });

  test('pauses a content once that is confirmed, and says which version did so', async () => {
    const { page } = svc;
    const { items } = await svc.send<Contents>('/v1/contents');
    // Which are served depends on the workspace.
    const id = items.find(({ served }) => served > 0)!.id;
    const paused = async () => {
      const { catalog, version } = await svc.send<{
        version: number;
        catalog: { contents: { contentId: string; paused?: boolean }[] };
      }>('/v1/catalog');
      return { version, paused: catalog.contents.find(({ contentId }) => contentId === id)!.paused };
    };
    const before = await paused();
    expect(before.paused).toBeUndefined();
    await svc.go(`/contents/${id}`);
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByRole('img', { name: new RegExp(`^Rate of ${id} in the last 24 hours`) }).waitFor();
    await svc.tabTo('Pause');
    await page.keyboard.press('Enter');
    await page.getByText('is chosen no more until it is resumed').waitFor();
    expect(await paused()).toEqual(before);
    await svc.checkAccessibility();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).press('Enter');
    await panel.getByText('paused', { exact: true }).waitFor();
    expect(await paused()).toEqual({ version: before.version + 1, paused: true });
    await panel.getByText(new RegExp(`paused since [\\d:]+, version ${before.version + 1}$`)).waitFor();
    // The focus is where it was, on the button that now resumes it.
    await page.waitForFunction("document.activeElement?.textContent?.trim() === 'Resume'");
    await panel.getByText('Versions that changed it').press('Enter');
    const versions = panel.getByRole('list', { name: 'Versions that changed it' });
    await versions.getByRole('link').first().waitFor();
    expect(await versions.getByRole('link').allInnerTexts()).toEqual([`Version ${before.version + 1}`]);
    await svc.checkAccessibility();
    await svc.tabTo('Resume');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).press('Enter');
    await panel.getByText('active', { exact: true }).waitFor();
    expect(await paused()).toEqual({ version: before.version + 2, paused: undefined });
  });

  test('shows what each goal earned, and what learning gains of it', async () => {
    const { page } = svc;
    const { catalog } = await svc.send<{ catalog: object }>('/v1/catalog');
    const goals = [
      { goalId: 'visit', event: 'order_completed', within: '7d' },
      { goalId: 'left', event: 'unsubscribed', within: '7d', guard: { worseThan: 0.02 } },
    ];
    await svc.send('/v1/catalog', { catalog: { ...catalog, goals } }, 'PUT');
    // The list has them once they are being counted, and the page is read once.
    const counted = async () => (await svc.send<Contents>('/v1/contents')).items[0]?.goals?.length;
    await expect.poll(counted).toBe(goals.length);
    await svc.go('/contents');
    const box = page.getByRole('region', { name: 'Goal visit', exact: true });
    await box.getByText('Learned', { exact: false }).first().waitFor();
    await box
      .getByRole('heading', {
        name: /what learning gains|learning earns [\d.]+ percentage points (more|less) than an even choice/,
      })
      .waitFor();
    await page.getByText(/^More charts/).press('Enter');
    await page
      .getByRole('region', { name: 'Gain of goal visit over time' })
      .getByRole('heading', { name: /learning gained in the last 24 hours|learning earned/ })
      .waitFor();
    await page
      .getByRole('region', { name: 'Goal left', exact: true })
      .getByText('Guard:', { exact: false })
      .waitFor();
    await page
      .getByRole('table', { name: 'Contents' })
      .getByRole('columnheader', { name: 'visit' })
      .waitFor();
    const chart = page.getByRole('region', { name: 'Goal visit over time', exact: true });
    await chart.getByRole('heading', { name: /^visit ?: .*in the last 24 hours/ }).waitFor();
    await chart.getByText('Figures as a table').press('Enter');
    await chart.getByRole('table').getByRole('columnheader', { name: 'Value' }).waitFor();
    await page.getByRole('region', { name: 'Goal left over time', exact: true }).waitFor();
    await svc.checkAccessibility();
    await page.getByRole('radio', { name: 'Week' }).press('Space');
    await chart.getByRole('heading', { name: /in the last 7 days/ }).waitFor();
    // There the first goal alone.
    await svc.go('/overview');
    await chart.waitFor();
    expect(await page.getByRole('region', { name: /^Goal .* over time$/ }).count()).toBe(1);
    await svc.checkAccessibility();
  });

  test('copies the command of the list', async () => {
    await svc.go('/contents');
    await svc.tabTo('Copy as svc command');
    await svc.page.keyboard.press('Enter');
    await svc.page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(/^svc contents list/);
  });
});
