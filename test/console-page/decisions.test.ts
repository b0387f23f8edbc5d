import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../src/contract/endpoints.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the decisions view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('lists the decisions, and shows one by keyboard alone', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    const links = page.getByRole('table', { name: 'Decisions' }).getByRole('link');
    await expect.poll(() => links.count()).toBe(svc.data.decisionIds.length);
    const [first] = await links.allInnerTexts();
    await svc.tabTo(first!);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const detail = page.getByRole('article', { name: /^Decision dec_/ });
    await detail.waitFor();
    const id = page.url().split('/').at(-1)!;
    expect(svc.data.decisionIds).toContain(id);
    const rows = detail.getByRole('table', { name: 'Candidates' }).getByRole('row');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    const { candidates, contentId } = await svc.send<{
      candidates: { contentId: string; ranking: number }[];
      contentId: string;
    }>(`/v1/decisions/${id}`);
    expect(await rows.count()).toBe(candidates.length + 1);
    const chosen = detail.getByRole('row', { name: /chosen/ });
    expect(await chosen.innerText()).toContain(contentId);
    const { ranking } = candidates.find((candidate) => candidate.contentId === contentId)!;
    expect(await chosen.innerText()).toContain(ranking.toFixed(3));
    const chances = await detail
      .getByRole('img', { name: /^Chance of each candidate/ })
      .getAttribute('aria-label');
    for (const candidate of candidates) expect(chances).toContain(`${candidate.contentId} `);
    await svc.checkAccessibility();
  });

  test('says why a decision was made, and what was removed by which rule', async () => {
    const excludeCategories = ['onboarding', 'savings', 'insurance'];
    const { decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId: svc.data.hashIds[1],
      context: { channel: 'in-app', surface: 'account', locale: 'en-GB' },
      guardrails: { excludeCategories },
    });
    const { reason, removed } = await svc.send<{
      reason: string;
      removed: { rule: string; name?: string; count: number; contentIds: string[] }[];
    }>(`/v1/decisions/${decisionId}`);
    await svc.go(`/decisions/${decisionId}`);
    const table = svc.page.getByRole('table', { name: 'Removed by a rule' });
    await table.waitFor();
    await svc.page.getByText(reason).waitFor();
    const { catalog } = await svc.send<AnswerOf<'getCatalog'>>('/v1/catalog');
    const contents = catalog.contents as { contentId: string; surfaces?: string[] }[];
    for (const { rule, name = '', count, contentIds } of removed) {
      for (const contentId of contentIds) {
        const row = table.getByRole('row', { name: new RegExp(`^${contentId}`) });
        expect(await row.innerText()).toContain(name);
        const { surfaces = [] } = contents.find((content) => content.contentId === contentId)!;
        if (rule === 'surface')
          await expect.poll(() => row.innerText()).toMatch(new RegExp(`${surfaces.join(', ')}\\s+account`));
      }
      if (count > contentIds.length)
        await table.getByText(new RegExp(`^${count - contentIds.length} more by .*${name}`)).waitFor();
    }
    expect(new Set(removed.map(({ rule }) => rule))).toEqual(new Set(['category', 'surface']));
  });

  test('keeps its filters in the URL, also over a reload, and copies them as a command', async () => {
    const { page } = svc;
    const hashId = svc.data.hashIds[3]!;
    await svc.go('/decisions');
    await svc.tabTo('User');
    await page.keyboard.type(hashId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/decisions?hashId=${hashId}`);
    const links = page.getByRole('table', { name: 'Decisions' }).getByRole('link');
    await expect.poll(() => links.count()).toBe(3);
    await page.reload();
    await expect.poll(() => links.count()).toBe(3);
    expect(await page.getByRole('textbox', { name: 'User' }).inputValue()).toBe(hashId);
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(new RegExp(`^svc decisions list --hash-id=${hashId}`));
  });

  test('shows 25 decisions on a screen of 1440 by 900, sorts them, and leaves columns out, all in the URL', async () => {
    const { page } = svc;
    for (let i = 0; i < 30; i++)
      await svc.send('/v1/decisioning/decide', {
        hashId: svc.data.hashIds[i % 5],
        context: { surface: 'home' },
      });
    await page.setViewportSize({ width: 1440, height: 900 });
    await svc.go('/decisions');
    const table = page.getByRole('table', { name: 'Decisions' });
    await table.waitFor();
    const inView: number =
      await page.evaluate(`[...document.querySelectorAll('main tbody tr')].filter((row) =>
      row.getBoundingClientRect().bottom <= innerHeight).length`);
    expect(inView).toBeGreaterThanOrEqual(25);
    await svc.tabTo(/^Expected/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=-Expected/);
    const column = async () => {
      const cells = await table.locator('tbody tr td:nth-child(5)').allInnerTexts();
      return cells.map(Number).filter((n) => !Number.isNaN(n));
    };
    const sorted = await column();
    expect(sorted).toEqual([...sorted].sort((a, b) => b - a));
    expect(await table.getByRole('columnheader', { name: /^Expected/ }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    await page.getByText('Columns').first().click();
    await page.getByRole('checkbox', { name: 'Likelihood' }).uncheck();
    await page.waitForURL(/hide=Likelihood/);
    await svc.checkAccessibility();
    await page.reload();
    await table.waitFor();
    expect(await table.getByRole('columnheader', { name: /^Likelihood/ }).count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a range of time ends now, and is kept in the URL and in the copied command', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.getByRole('radio', { name: 'Last hour' }).check();
    await page.waitForURL(/range=hour/);
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    const [, since] = /--since=(\S+)/.exec(await svc.copied())!;
    const age = Date.now() - Date.parse(since!);
    expect(age).toBeGreaterThanOrEqual(3_600_000 - 1000);
    expect(age).toBeLessThan(3_600_000 + 600_000);
  });

  test('opens a decision by a click anywhere on its row', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    const row = page.getByRole('table', { name: 'Decisions' }).getByRole('row').nth(1);
    await row.getByRole('time').click();
    await page.getByRole('article', { name: /^Decision dec_/ }).waitFor();
  });

  test('says what was chosen most, leads to it, and explains its terms, by keyboard alone', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    const head = page.locator('.view-head .summary');
    await expect.poll(() => head.innerText()).toMatch(/^of the latest \d+: \w+ \d+ · /);
    await svc.tabTo('Explain terms');
    await page.keyboard.press('Enter');
    await page.getByText('each eligible content has the same chance').waitFor();
    await svc.checkAccessibility();
    const name = await head.getByRole('link').first().innerText();
    await head.getByRole('link').first().press('Enter');
    await page.waitForURL(`**/decisions?contentId=${name}`);
    const names = () => page.getByRole('table', { name: 'Decisions' }).getByRole('rowheader').allInnerTexts();
    await expect.poll(async () => (await names()).every((each) => each.startsWith(name))).toBe(true);
  });

  test('says how to get data where nothing matches', async () => {
    await svc.go('/decisions?contentId=no_such_content');
    await svc.page.getByText('No decisions match.').waitFor();
    expect(await svc.page.getByText(/^svc decide --hash-id/).count()).toBe(1);
  });

  test('makes no formatter for each of its times', async () => {
    const { page } = svc;
    await page.addInitScript(`globalThis.formatters = 0;
      Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
        construct: (target, args) => (globalThis.formatters++, new target(...args)),
      });`);
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    expect(await page.getByRole('table', { name: 'Decisions' }).getByRole('time').count()).toBeGreaterThan(
      10,
    );
    expect(await page.evaluate('formatters')).toBeLessThan(5);
  });

  test('a list of a range is not read again because time passes', async () => {
    const { page } = svc;
    await page.clock.install();
    await svc.go('/decisions?range=week');
    const rows = page.getByRole('table', { name: 'Decisions' }).getByRole('row');
    await rows.nth(1).waitFor();
    const read: string[] = [];
    page.on('request', (request) => request.url().includes('/v1/decisions?') && read.push(request.url()));
    await page.clock.fastForward(61_000);
    await page.getByRole('radio', { name: 'Holdout' }).press('Space');
    await page.waitForURL('**kind=even**');
    await page.clock.runFor(1000);
    expect(read).toEqual([]);
  });
});
