import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../src/contract/endpoints.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { DATE } from '../support/console/date-words.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the decisions view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('says why a candidate is more likely than one that is expected to earn more', async () => {
    const { page, data } = svc;
    let policy = 'learned';
    let likely = 0.78;
    await page.route(`**/v1/decisions/${data.decisionIds[0]}`, async (route) => {
      const response = await route.fetch();
      const of = (contentId: string, ranking: number, propensity: number) => ({
        contentId,
        ranking,
        propensity,
      });
      const candidates = [of('known', 0.5, 0.98 - likely), of('new', 0.4, likely), of('weak', 0.1, 0.02)];
      await route.fulfill({
        response,
        json: { ...(await response.json()), policy, contentId: 'new', candidates },
      });
    });
    const detail = page.getByRole('article', { name: /^Decision dec_/ });
    const why = detail.getByText('new was more likely than known, though it is expected to earn less');
    await svc.go(`/decisions/${data.decisionIds[0]}`);
    await why.waitFor();
    await svc.checkAccessibility();
    // By chance alone, or not learned.
    for (const [by, share] of [
      ['learned', 0.495],
      ['weights', 0.78],
    ] as const) {
      [policy, likely] = [by, share];
      await page.reload();
      await detail.getByText('weak').first().waitFor();
      expect(await why.count()).toBe(0);
    }
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('lists the decisions, and shows one by keyboard alone', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    const links = page.getByRole('table', { name: 'Decisions' }).locator('tbody th a');
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
    const chosen = detail.getByRole('row', { name: /chosen \d/ });
    expect(await chosen.innerText()).toContain(contentId);
    const { ranking } = candidates.find((candidate) => candidate.contentId === contentId)!;
    expect(await chosen.innerText()).toContain(ranking.toFixed(3));
    const likelihoods = await detail
      .getByRole('img', { name: /^Likelihood of each candidate/ })
      .getAttribute('aria-label');
    for (const candidate of candidates) expect(likelihoods).toContain(`${candidate.contentId} `);
    // Contents do not look alike where there are more of them than colours.
    const [one, other] = candidates.map((candidate) => candidate.contentId);
    const known = [one, ...Array.from({ length: 7 }, (_, i) => `of_before_${i}`), other];
    await page.evaluate(
      `localStorage.setItem('svc-console-content-colours', ${JSON.stringify(JSON.stringify(known))})`,
    );
    await page.reload();
    await rows.nth(1).waitFor();
    const looks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('article .swatch')].map((each) => {
        const { backgroundColor, backgroundImage } = getComputedStyle(each);
        return backgroundColor + backgroundImage;
      })`,
    );
    expect(looks).toHaveLength(candidates.length);
    expect(new Set(looks).size).toBe(candidates.length);
    await svc.checkAccessibility();
  });

  test('shows what became of the message of a decision, and leads to the decisions of the user beside it', async () => {
    const { page, data } = svc;
    const hashId = data.hashIds[1]!;
    const { decisions } = await svc.send<{ decisions: { decisionId: string }[] }>(
      `/v1/decisions?hashId=${hashId}`,
    );
    const { messages } = await svc.send<AnswerOf<'listLatestMessages'>>(
      `/v1/messages/latest?hashId=${hashId}&state=tapped`,
    );
    const { decisionId } = messages[0]!;
    const at = decisions.findIndex((decision) => decision.decisionId === decisionId);
    await svc.go(`/decisions/${decisionId}`);
    const life = page.getByRole('list', { name: 'What happened to it' });
    await life.waitFor();
    const steps = (await life.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    // It counted from the decision on, as no app polled then: when it was served is not known.
    expect(steps.map((text) => text.replace(new RegExp(` ${DATE}\\d\\d:.*`), ''))).toEqual([
      'decided',
      'opened',
      'acted on',
      expect.stringMatching(/^earned/),
    ]);
    await svc.checkAccessibility();
    const beside = [
      ['← Earlier of this user', decisions[at - 1]],
      ['Later of this user →', decisions[at + 1]],
    ] as const;
    for (const [name, other] of beside) {
      await svc.go(`/decisions/${decisionId}?range=day`);
      await life.waitFor();
      const link = page.getByRole('link', { name });
      if (other === undefined) {
        expect(await link.count()).toBe(0);
        continue;
      }
      await link.press('Enter');
      await page.waitForURL(`**/decisions/${other.decisionId}?range=day`);
      await page.getByRole('article', { name: `Decision ${other.decisionId}` }).waitFor();
    }
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
    const links = page.getByRole('table', { name: 'Decisions' }).locator('tbody th a');
    await expect.poll(() => links.count()).toBe(3);
    await page.reload();
    await expect.poll(() => links.count()).toBe(3);
    const user = page.getByRole('textbox', { name: 'User' });
    expect(await user.inputValue()).toBe(hashId);
    // A service elsewhere hashes no userId for the page.
    await user.fill('u_3');
    await user.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^A remote service finds users by their hashId alone: paste all/)
      .waitFor();
    expect(page.url()).toContain(hashId);
    await user.fill(hashId);
    await user.press('Enter');
    await page.getByRole('alert').waitFor({ state: 'detached' });
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
    // Beside a decision, the ranges of time stay on one line, and so do the two fields.
    await table.locator('tbody th a').first().press('Enter');
    await page.getByRole('button', { name: 'Close the detail' }).waitFor();
    const tops = async (found: Locator) =>
      new Set(await Promise.all((await found.all()).map(async (one) => (await one.boundingBox())!.y)));
    const ranges = page.getByRole('group', { name: 'Range of time' }).locator('label');
    expect((await tops(ranges)).size).toBe(1);
    expect((await tops(page.locator('.filters').getByRole('textbox'))).size).toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a range of time ends now, and is kept in the URL and in the copied command', async () => {
    const { page } = svc;
    await svc.go('/decisions');
    await page.getByRole('table', { name: 'Decisions' }).waitFor();
    await page.getByRole('radio', { name: 'Last hour' }).check();
    await page.waitForURL(/range=hour/);
    await page.getByText('applies to other views too').waitFor();
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
    await page.getByText('is kept out of learning').waitFor();
    // What explains the columns leaves their heads in view.
    const heads = (await page.locator('thead').boundingBox())!;
    expect((await page.locator('.meaning:popover-open').boundingBox())!.y).toBeGreaterThan(
      heads.y + heads.height,
    );
    await svc.checkAccessibility();
    const name = await head.getByRole('link').first().innerText();
    await head.getByRole('link').first().press('Enter');
    await page.waitForURL(`**/decisions?contentId=${name}`);
    const names = () => page.getByRole('table', { name: 'Decisions' }).getByRole('rowheader').allInnerTexts();
    await expect.poll(async () => (await names()).every((each) => each.startsWith(name))).toBe(true);
  });

  test('ends what was chosen most without a separator, where nothing was tried or held out', async () => {
    const { page } = svc;
    await page.route('**/v1/decisions?*', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const decisions = body.decisions
        .filter(({ contentId }: { contentId: string | null }) => contentId !== null)
        .map((each: object) => ({ ...each, policy: 'weights' }));
      await route.fulfill({ response, json: { ...body, decisions } });
    });
    await svc.go('/decisions');
    const head = page.locator('.view-head .summary');
    await expect.poll(() => head.innerText()).toMatch(/^of the latest \d+: \w+ \d+( · \w+ \d+)*$/);
    await page.unroute('**/v1/decisions?*');
  });

  test('parts what was chosen from how it was chosen', async () => {
    const { page } = svc;
    await page.route('**/v1/decisions?*', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const candidateOf = (contentId: string, propensity: number) => ({
        contentId,
        propensity,
        ranking: 0.1,
      });
      const [first, second, third] = body.decisions;
      const candidates = [candidateOf('one', 0.2), candidateOf('two', 0.8)];
      const decisions = [
        { ...first, contentId: null },
        { ...second, contentId: 'one', policy: 'holdout' },
        { ...third, contentId: 'one', policy: 'learned', candidates },
      ];
      await route.fulfill({ response, json: { ...body, decisions } });
    });
    await svc.go('/decisions');
    const head = page.locator('.view-head .summary');
    await expect
      .poll(() => head.innerText())
      .toBe('of the latest 3: one 2 · no action 1; of them tried to learn 1 · holdout 1');
    await page.unroute('**/v1/decisions?*');
  });

  test('reads on for decisions that were chosen in another way, and offers to search further', async () => {
    const { page } = svc;
    let asked = 0;
    let heldOutOn = 3;
    await page.route('**/v1/decisions?*', async (route) => {
      asked++;
      const response = await route.fetch();
      const body = await response.json();
      const policy = asked === heldOutOn ? 'holdout' : 'weights';
      const decisions = body.decisions
        .filter(({ contentId }: { contentId: string | null }) => contentId !== null)
        .slice(0, 10)
        .map((each: object, i: number) => ({ ...each, decisionId: `dec_${asked}_${i}`, policy }));
      await route.fulfill({ response, json: { ...body, decisions, next: `after ${asked}` } });
    });
    // The service would refuse the cursor.
    await page.route('**/v1/decisions?*after=*', async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.delete('after');
      await route.fallback({ url: url.href });
    });
    await svc.go('/decisions?kind=even');
    const rows = page.getByRole('table', { name: 'Decisions' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(10);
    await page.getByText('10 of the latest 40 decisions', { exact: true }).waitFor();
    heldOutOn = asked + 5;
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page.getByText('None of the latest 40 decisions is of this kind.').waitFor();
    await svc.checkAccessibility();
    await page.getByRole('button', { name: 'Search further' }).press('Enter');
    await page.getByText('10 of the latest 80 decisions', { exact: true }).waitFor();
    await page.unroute('**/v1/decisions?*after=*');
    await page.unroute('**/v1/decisions?*');
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
    await rows.nth(1).getByRole('link').first().focus();
    await page.clock.fastForward(61_000);
    await page.getByRole('columnheader', { name: 'Time' }).getByRole('button').press('Enter');
    await page.waitForURL('**sort=**');
    await page.clock.runFor(1000);
    expect(read).toEqual([]);
  });

  test('reads the list again by itself while it is at its top', async () => {
    const { page, data } = svc;
    await page.clock.install();
    await svc.go('/decisions');
    const first = page
      .getByRole('table', { name: 'Decisions' })
      .getByRole('row')
      .nth(1)
      .getByRole('link')
      .first();
    await first.waitFor();
    await page.getByText(/again every \d+ s/).waitFor();
    const { decisionId } = await svc.send<{ decisionId: string }>('/v1/decisioning/decide', {
      hashId: data.hashId,
    });
    await page.clock.fastForward(61_000);
    await expect.poll(() => first.getAttribute('href')).toContain(decisionId);
  });

  test('shows what moved a choice on either side of a middle line, and how that adds up', async () => {
    const { page } = svc;
    const context = { channel: 'in-app', surface: 'home' };
    const tierOf = (i: number) => (i % 2 === 0 ? 'ruby' : 'basic');
    const stored = async (i: number) => {
      const users = [{ userId: `tier_${i}`, traits: { tier: tierOf(i) } }];
      return (await svc.send<AnswerOf<'ingestUsers'>>('/v1/users', { users })).users[0]!;
    };
    const decide = (hashId: string) =>
      svc.send<{ decisionId: string }>('/v1/decisioning/decide', { hashId, context });
    let found: { id: string; of: AnswerOf<'getDecision'> } | undefined;
    // The model learns behind the requests: on a busy machine later than these 40 come.
    for (let i = 0; i < 40 || (!found && i < 2000); i++) {
      const { hashId } = await stored(i);
      const { decisionId: id } = await decide(hashId);
      await svc.send(`/v1/messages/${id}/outcomes`, { type: i % 2 === 0 ? 'actioned' : 'dismissed' });
      const of = await svc.send<AnswerOf<'getDecision'>>(`/v1/decisions/${id}`);
      if (of.explanation?.runnerUp && of.explanation.winner === of.contentId) found = { id, of };
    }
    const { winner, runnerUp, effects } = found!.of.explanation!;
    const expectedOf = (id: string | null) =>
      found!.of.candidates.find(({ contentId }) => contentId === id)!.ranking;
    const all = expectedOf(winner) - expectedOf(runnerUp);
    await svc.go(`/decisions/${found!.id}`);
    await page.getByRole('heading', { name: `Why ${winner} and not ${runnerUp}` }).waitFor();
    const rows = page.getByRole('table', { name: 'What moved the choice' }).locator('tbody tr');
    expect(await rows.count()).toBe(effects.length + 2);
    const figures = (await rows.locator('.figure').allInnerTexts()).map((text) =>
      Number(text.replace('−', '-')),
    );
    const sum = figures.slice(0, -1).reduce((total, n) => total + n, 0);
    expect(Math.abs(sum - figures.at(-1)!)).toBeLessThan(0.0005 * (figures.length + 1));
    expect(Math.abs(all - figures.at(-1)!)).toBeLessThan(0.001);
    // What is less is to the left of what is more.
    for (const [i, { effect }] of effects.entries())
      expect(await rows.nth(i).locator('.fill.less').count()).toBe(effect < 0 ? 1 : 0);
    await svc.checkAccessibility();

    // Where another was tried, the table still compares the two best, and says so.
    const third = found!.of.candidates.find(({ contentId }) => ![winner, runnerUp].includes(contentId));
    for (const tried of [runnerUp!, third!.contentId]) {
      await page.route(`**/api/v1/decisions/${found!.id}`, (route) =>
        route.fulfill({ json: { ...found!.of, contentId: tried } }),
      );
      await page.reload();
      await page.getByRole('heading', { name: `Why ${winner} was ahead of ${runnerUp}` }).waitFor();
      await page
        .getByText(`${tried} was tried to learn more about it. The table compares the two that were ahead.`)
        .waitFor();
      await page.getByText(`speaks for ${winner}, what is to the left for ${runnerUp}.`).waitFor();
      for (const [i, { effect }] of effects.entries())
        expect(await rows.nth(i).locator('.fill.less').count()).toBe(effect < 0 ? 1 : 0);
      expect(await rows.nth(effects.length).innerText()).toContain('everything else: results with all users');
      await page.unroute(`**/api/v1/decisions/${found!.id}`);
    }
    // The combination of the context has no value of its own.
    const combined = { feature: 'this combination of context', value: '', effect: 0.5 };
    await page.route(`**/api/v1/decisions/${found!.id}`, (route) =>
      route.fulfill({
        json: { ...found!.of, explanation: { ...found!.of.explanation!, effects: [combined] } },
      }),
    );
    await page.reload();
    const cell = rows.filter({ hasText: combined.feature }).locator('td, th').first();
    await expect.poll(() => cell.innerText()).toBe(combined.feature);
    await page.unroute(`**/api/v1/decisions/${found!.id}`);
    // Where nothing moved it, that is said.
    await page.route(`**/api/v1/decisions/${found!.id}`, (route) =>
      route.fulfill({ json: { ...found!.of, explanation: undefined } }),
    );
    await page.reload();
    await page.getByText('No trait of the user or the place moved this choice, or none is kept.').waitFor();
    await page.unroute(`**/api/v1/decisions/${found!.id}`);
  });
});
