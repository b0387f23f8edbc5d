import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { DATE } from '../support/console/date-words.ts';
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

/** Words for this hour and the 23 before, which begin yesterday, or at 23:00 today. */
const DAY = `since ${DATE}\\d\\d:\\d\\d`;

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
    // What is of another range stands apart, under a heading that says since when.
    const inAll = page.getByRole('region', { name: 'In all', exact: true });
    await inAll.getByRole('heading', { name: /^In all, since / }).waitFor();
    await inAll
      .getByText(/^\d+ outcomes? of \d+ messages? learned so far, whatever range is chosen/)
      .waitFor();
    const curve = page.getByRole('region', { name: 'What it learned' });
    await curve.getByText(/^In the last (1 hour|\d hours) with choices, [\d.]+ % were acted on/).waitFor();
    const rates = page.getByRole('region', { name: 'Rates over time' });
    await rates.getByRole('heading', { name: new RegExp(`^Rates over time, ${DAY}$`) }).waitFor();
    await page
      .getByRole('heading', {
        name: new RegExp(
          `has the highest rate ${DAY}|Which content has the|is ahead ${DAY}|in choice was acted on`,
        ),
      })
      .waitFor();
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
    await page.route('**/v1/trends/decisions?*', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const contents = body.contents.map((one: { total: object }) => ({
        ...one,
        total: { ...one.total, ...counts() },
      }));
      await route.fulfill({ json: { ...body, contents } });
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

  test('counts in the chosen range alone, but for what is said to be of all time', async () => {
    const { page } = svc;
    await svc.go('/contents?range=custom&since=2020-01-01T00:00:00.000Z&until=2020-01-02T00:00:00.000Z');
    await page
      .getByText(
        /^Nothing was served from Wed,? 1 Jan \d\d:00 to Thu,? 2 Jan \d\d:00 \(counted by the day\)$/,
      )
      .waitFor();
    const rows = page.getByRole('table', { name: 'Contents' }).locator('tbody tr');
    await rows.first().waitFor();
    for (const text of await rows.allInnerTexts())
      expect(text).toMatch(/not served\s+0\s+0 % of all\s+0\s+0$/);
    await page
      .getByRole('region', { name: 'In all', exact: true })
      .getByText(/^Learned/)
      .first()
      .waitFor();
    await svc.checkAccessibility();
    await page.getByRole('radio', { name: 'Day' }).press('Space');
    await page
      .getByText(new RegExp(`^[\\d.]+ % of the \\d+ messages served ${DAY} were acted on$`))
      .waitFor();
  });

  test('names the hours that are counted, where a range begins within one', async () => {
    const { page } = svc;
    const asked = page.waitForRequest('**/v1/trends/decisions?*');
    const now = Date.now();
    await svc.go(`/contents?since=${new Date(now - 60_000).toISOString()}`);
    const begin = Math.floor((now - 60_000) / 3_600_000) * 3_600_000;
    const query = new URL((await asked).url()).searchParams;
    expect(query.get('since')).toBe(new Date(begin).toISOString());
    const since = `since ${DATE}${new Date(begin).toLocaleTimeString('en-GB').slice(0, 5)} \\(counted by the hour\\)`;
    await page.getByText(new RegExp(`messages? served ${since} \\w+ acted on$`)).waitFor();
    const earned = page.getByRole('region', { name: 'What each content earns' });
    await earned.getByText(new RegExp(`^messages served ${since} that were acted on`)).waitFor();
    await page.getByRole('region', { name: 'Gain over time' }).getByText(new RegExp(since)).waitFor();
    expect(await page.getByText('in this range').count()).toBe(0);
    await page.getByRole('radio', { name: 'Last hour' }).press('Space');
    await earned
      .getByText(new RegExp(`^messages served since ${DATE}\\d\\d:00 \\(counted by the hour\\) that`))
      .waitFor();
    await svc.checkAccessibility();
  });

  test('compares the best content with those that were served often, on round axes', async () => {
    const { page } = svc;
    let rival = { served: 100, rate: 0.05 };
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
        contentOf('card_other', { low: 0, high: 0.2, ...rival }),
      ];
      const gain = [{ until: from, learned: 90, holdout: 10, gain: -0.0001, low: -0.1, high: 0.1 }];
      await route.fulfill({ response, json: { ...body, from, contents, gain } });
    });
    await svc.go('/contents');
    await page
      .getByRole('heading', {
        name: new RegExp(
          `^card_often ?is ahead ${DAY} with 18 %, but not for certain: card_other ?has 5\\.0 %$`,
        ),
      })
      .waitFor();
    const gain = page.getByRole('region', { name: 'Gain over time' });
    await gain
      .getByRole('heading', { name: new RegExp(`^Learning earned as much as an even choice ${DAY} so far$`) })
      .waitFor();
    const ends = (box: Locator) => box.locator('.band > span').allInnerTexts();
    expect((await ends(gain))[0]).toBe('+50.0');
    expect((await ends(page.getByRole('region', { name: 'Rates over time' })))[0]).toBe('100 %');
    // One that was rarely served is no rival, whatever its rate: the headline says which contents it compares.
    rival = { served: 29, rate: 1 };
    await page.reload();
    await page
      .getByRole('heading', {
        name: new RegExp(
          `^card_often ?, of contents with at least 30 messages, has the highest rate ${DAY}, and that is certain: 18 %$`,
        ),
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
    const read: string[] = [];
    page.on('request', (request) => {
      const [, version] = /\/v1\/catalog\/versions\/(\d+)/.exec(request.url()) ?? [];
      if (version !== undefined) read.push(version);
    });
    await svc.go(`/contents/${id}`);
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByRole('img', { name: new RegExp(`^Rate of ${id} ${DAY}`) }).waitFor();
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
    await expect.poll(() => page.evaluate('document.activeElement?.textContent?.trim()')).toBe('Resume');
    await panel.getByText('Versions that changed it').press('Enter');
    const versions = panel.getByRole('list', { name: 'Versions that changed it' });
    await versions.getByRole('link').first().waitFor();
    expect(await versions.getByRole('link').allInnerTexts()).toEqual([`Version ${before.version + 1}`]);
    // Each version was read once: for when it was paused, and for the list.
    expect(read).toContain(String(before.version + 1));
    expect(read.length).toBe(new Set(read).size);
    await svc.checkAccessibility();
    await svc.tabTo('Resume');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).press('Enter');
    await panel.getByText('active', { exact: true }).waitFor();
    expect(await paused()).toEqual({ version: before.version + 2, paused: undefined });
  });

  test('shows what a content says in each of its locales', async () => {
    const { page } = svc;
    const { catalog } = await svc.send<{ catalog: { contents: { contentId: string }[] } }>('/v1/catalog');
    const texts = { de: { title: 'A German card', body: 'Free, in German.' } };
    const contents = catalog.contents.map((each) =>
      each.contentId === 'card_offer' ? { ...each, title: 'A card', body: 'It is free.', texts } : each,
    );
    await svc.send('/v1/catalog', { catalog: { ...catalog, contents } }, 'PUT');
    await svc.go('/contents/card_offer');
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByRole('heading', { name: 'What it says, with 1 translation' }).waitFor();
    const facts = (await panel.locator('.facts').last().innerText()).replace(/\s+/g, ' ');
    expect(facts).toContain('any other A card It is free.');
    expect(facts).toContain('de A German card Free, in German.');
    await svc.checkAccessibility();
    await svc.send('/v1/catalog', { catalog }, 'PUT');
    // A search that finds one content alone opens it.
    await svc.go('/contents');
    await page.getByLabel('Search').fill('savings_boost');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/contents/savings_boost?search=savings_boost');
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
        name: /what learning gains|learning earns [\d.]+ percentage points (more|less) than an even choice|as much as/,
      })
      .waitFor();
    await page
      .getByRole('region', { name: 'Gain of goal visit over time' })
      .getByRole('heading', { name: new RegExp(`learning gained ${DAY}|learning earned`) })
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
    await chart.getByRole('heading', { name: new RegExp(`^visit ?: .*${DAY}`) }).waitFor();
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

  test('draws the difference on which it rests whether a gain is certain', async () => {
    const { page } = svc;
    const group = (value: number, low: number, high: number) => ({ served: 100, value, low, high });
    await page.route('**/v1/model', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const [goal] = body.goals;
      const [rate, low, high] = [0.5, 0.4, 0.6];
      const byPolicy = {
        ...goal.byPolicy,
        learned: { ...group(rate, low, high), conversions: 50 },
        holdout: { ...group(0.2, 0.1, 0.3), conversions: 20 },
      };
      const goals = [{ ...goal, byPolicy, gain: { gain: 0.3, low: -0.1, high: 0.4 } }];
      await route.fulfill({
        response,
        json: {
          ...body,
          goals,
          gain: { rate: 0.3, low: 0.15, high: 0.4 },
          learned: 150,
          all: { served: 90 },
        },
      });
    });
    await svc.go('/contents');
    await page.getByText('150 outcomes of 90 messages learned so far', { exact: false }).waitFor();
    const sides = async (name: string, words: string) => {
      const box = page.getByRole('region', { name, exact: true });
      await box.getByText(words, { exact: false }).waitFor();
      return box.locator('.about-zero').evaluate((line) => {
        const { left, width } = line.getBoundingClientRect();
        const range = line.querySelector('.range')!.getBoundingClientRect();
        return [range.left, range.right].map((at) => Math.sign(Math.round(at - left - width / 2)));
      });
    };
    expect(await sides('Goal visit', 'interval −10.0 to +40.0: 0 is inside')).toEqual([-1, 1]);
    expect(await sides('Learned against holdout', 'interval +15.0 to +40.0: 0 is outside')).toEqual([1, 1]);
    await svc.checkAccessibility();
    await page.unroute('**/v1/model');
  });

  test('copies the command of the list', async () => {
    await svc.go('/contents');
    await svc.tabTo('Copy as svc command');
    await svc.page.keyboard.press('Enter');
    await svc.page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(/^svc contents list/);
  });
});
