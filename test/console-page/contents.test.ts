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
    await page.getByText(/^\d+ outcomes? learned, model version \d+$/).waitFor();
    const curve = page.getByRole('region', { name: 'What it learned' });
    await curve
      .getByText(/of the last 1 hour with any were rewarded|of the last \d hours with any/)
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
    await box.getByRole('heading', { name: /learning/ }).waitFor();
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
