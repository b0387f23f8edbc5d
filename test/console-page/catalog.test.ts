import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../src/contract/endpoints.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';
import { laggingClock, liveThroughHours } from '../support/console/simulated-days.ts';

const KEYS = ['Enter', 'Tab', 'Escape', 'ArrowDown', 'ControlOrMeta+A', 'ControlOrMeta+S', 'Alt+T'];

describe.runIf(hasChromium)('the catalog view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  const current = () => svc.send<AnswerOf<'getCatalog'>>('/v1/catalog');
  const contents = async () => (await current()).catalog.contents as Record<string, unknown>[];

  test('makes a content, says what is wrong beside its field, and stores it, by keyboard alone', async () => {
    const { page } = svc;
    const { version } = await current();
    await svc.go('/catalog');
    await page.getByRole('table', { name: 'Contents' }).waitFor();
    await svc.tabTo('Name of a new content');
    await page.keyboard.type('night_offer');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog/contents/night_offer');
    const lefts: number[] = await page.evaluate(`['legend', 'label'].map((name) => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.field-group ' + name));
      return range.getBoundingClientRect().left;
    })`);
    expect(lefts[0]).toBe(lefts[1]);
    await svc.tabTo(/^Assumed share of rewards/);
    await page.keyboard.type('5');
    const field = page.getByLabel(/^Assumed share of rewards/);
    // Nothing is wrong with what is still being written.
    await page.getByText('1 error to correct, 2 fields to fill in').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBeNull();
    await page.keyboard.press('Tab');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('must be at most 1').waitFor();
    expect(await page.getByRole('button', { name: 'Publish the draft' }).isDisabled()).toBe(true);
    await svc.checkAccessibility();
    await svc.tabTo(/^Assumed share of rewards/);
    await page.keyboard.press('Backspace');
    // The parts of a date and time, month first in the language of the browser.
    await svc.tabTo('Active from your time, UTC');
    await page.keyboard.type('03012026');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('1200AM');
    await svc.tabTo(/^Title/);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Good night');
    await expect.poll(() => page.getByRole('figure').innerText()).toContain('Good night');
    await page.getByText('1 field to fill in').waitFor();
    expect(await page.getByRole('button', { name: 'Publish the draft' }).isDisabled()).toBe(true);
    await svc.tabTo(/^Body/);
    await page.keyboard.type('Sleep well');
    await page.getByText('No errors').waitFor();
    await page.getByRole('heading', { name: 'Draft: 1 entry new' }).waitFor();
    await svc.tabTo('Publish the draft');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'What is published' }).getByText('Good night').waitFor();
    await svc.checkAccessibility();
    await svc.tabTo('What the change is for');
    await page.keyboard.type('A late idea');
    let read = () => {};
    const held = new Promise<void>((done) => {
      read = done;
    });
    await page.route('**/v1/catalog', async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Published' }).waitFor();
    expect((await current()).version).toBe(version + 1);
    // The new entry stays in sight while the catalog is read again.
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Good night');
    read();
    await expect.poll(() => page.evaluate('document.body.innerText')).toContain('A late idea');
    await page.unroute('**/v1/catalog');
    // The link back is gone with the form: the keyboard goes on at the title.
    await page.getByRole('link', { name: 'All of the catalog' }).press('Enter');
    await page.getByRole('table', { name: 'Contents' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('view-title');
    expect((await contents()).at(-1)).toMatchObject({
      ...{ contentId: 'night_offer', title: 'Good night', activeFrom: '2026-03-01T00:00:00.000Z' },
    });
    expect(await current()).toMatchObject({ author: 'console', note: 'A late idea' });
    await page.getByText(/^version 1, published [\d:]+ by console: A late idea$/).waitFor();
    await page.getByText('11 contents, all active').waitFor();
    await svc.go('/catalog/versions?until=2026-01-01T00:00:00.000Z');
    await page.getByText('No version was published in this range.').waitFor();
    await svc.go('/catalog/versions?range=hour');
    await page.getByRole('link', { name: '1: what it changed and earned' }).waitFor();
  });

  /** The label of what has the focus, after the name of the translation that it is in. */
  const focused = () =>
    svc.page.evaluate<string>(`(() => {
      const { activeElement: at } = document;
      return (at.closest('[data-name]')?.dataset.name ?? '') + ' ' + (at.labels?.[0]?.textContent ?? '');
    })()`);
  /** By keyboard, each step where the one before leads. */
  const type = async (...parts: string[]) => {
    for (const part of parts)
      if (KEYS.includes(part)) await svc.page.keyboard.press(part);
      else await svc.page.keyboard.type(part);
  };

  test('publishes a content in a second language from the overview, by mouse', async () => {
    const { page } = svc;
    const { catalog: before, version } = await current();
    await svc.go('/overview');
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await page.getByRole('link', { name: 'card_offer' }).click();
    // Two of the five users have fr-FR, one de-DE, one en-GB.
    const suggested = page.getByRole('group', { name: 'Locales of users' });
    await suggested.getByText('Or choose a locale of the latest 5 users:').waitFor();
    expect(await suggested.getByRole('button').allTextContents()).toEqual([
      'fr French 2 users',
      expect.stringMatching(/^(de German|en English) 1 user$/),
      expect.stringMatching(/^(de German|en English) 1 user$/),
    ]);
    await suggested.getByRole('button', { name: 'fr French' }).click();
    expect(await focused()).toMatch(/^fr Title/);
    await type('A French card');
    // To publish is in reach wherever the form was scrolled to, before all is written and after it.
    const publish = page.getByRole('button', { name: 'Publish the draft' });
    const inSight = async () => {
      for (const y of ['0', 'document.body.scrollHeight']) {
        await page.evaluate(`scrollTo(0, ${y})`);
        const { y: top, height } = (await publish.boundingBox())!;
        expect(top).toBeGreaterThan(400);
        expect(top + height).toBeLessThan(800);
      }
    };
    await inSight();
    expect(await publish.isDisabled()).toBe(true);
    await page.getByRole('group', { name: /^fr/ }).getByLabel(/^Body/).click();
    await type('Without a fee.');
    expect(await suggested.getByRole('button', { name: 'fr French' }).count()).toBe(0);
    // At once, also while what was typed is still checked.
    await publish.click();
    const changes = page.getByRole('list', { name: 'What is published' });
    await expect.poll(() => changes.innerText()).toContain('Translation fr added: ');
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText(`Published as version ${version + 1}.`).waitFor();
    const read = page.getByRole('list', { name: 'What users read now' });
    expect((await read.innerText()).split(/\n+/)).toEqual([
      'card_offer says',
      'to users with the locale fr: A French card',
      'to all others: A card without a yearly fee',
    ]);
    const look = page.getByRole('figure');
    await read.getByRole('link', { name: 'to all others' }).click();
    await expect.poll(() => look.innerText()).toContain('A card without a yearly fee');
    await read.getByRole('link', { name: 'to users with the locale fr' }).click();
    await expect.poll(() => look.innerText()).toContain('A French card');
    await svc.checkAccessibility();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await layoutProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    const texts = { fr: { title: 'A French card', body: 'Without a fee.' } };
    expect((await contents()).find(({ contentId }) => contentId === 'card_offer')).toMatchObject({ texts });
    // Of one that nobody gets, it says so.
    const paused = (await contents()).map((content) =>
      content.contentId === 'card_offer' ? { ...content, paused: true, locales: ['fr'] } : content,
    );
    await svc.send('/v1/catalog', { catalog: { ...before, contents: paused } }, 'PUT');
    await page.reload();
    await page
      .getByRole('group', { name: /^fr/ })
      .getByLabel(/^Title/)
      .fill('Another French card');
    await publish.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect.poll(() => read.innerText()).toMatch(/^card_offer is paused, and not chosen now. It says/);
    expect(await read.innerText()).toMatch(/Only users with these locales, or without one, get it: fr\.$/);
    await svc.send('/v1/catalog', { catalog: before }, 'PUT');
  });

  test('publishes a content in a second language from the overview, by keyboard alone', async () => {
    const { page } = svc;
    const { catalog: before, version } = await current();
    await svc.go('/overview');
    await type('g', 'k');
    await page.getByRole('table', { name: 'Contents' }).waitFor();
    await type('/', 'savings_b', 'ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('savings_boost');
    await type('Enter');
    await expect.poll(focused).toMatch(/^ Title/);
    await type('Tab', 'Tab');
    expect(await focused()).toBe(' Add a translation for the locale');
    await type('German', 'Enter');
    await page.getByText('This is not a locale, such as de or pt-BR.').waitFor();
    await svc.checkAccessibility();
    await type(
      'ControlOrMeta+A',
      'de_at',
      'Enter',
      'More in German',
      'Tab',
      'Each German month.',
      'ControlOrMeta+S',
    );
    await expect.poll(focused).toBe(' What the change is for');
    await type('Enter');
    await page.getByText(`Published as version ${version + 1}.`).waitFor();
    const texts = { 'de-AT': { title: 'More in German', body: 'Each German month.' } };
    const stored = await contents();
    expect(stored.find(({ contentId }) => contentId === 'savings_boost')).toMatchObject({ texts });
    // What has come of it is next.
    await type('Tab', 'Tab', 'Tab');
    const at = await page.evaluate<string>('document.activeElement.textContent');
    expect(at).toBe('to users with the locale de-AT');
    await type('Enter');
    await expect.poll(focused).toMatch(/^de-AT Title/);
    expect(await page.getByRole('figure').innerText()).toContain('More in German');
    // Taken away and added once more, it is written next again.
    await type('Tab', 'Tab', 'Enter');
    expect(await focused()).toBe(' Add a translation for the locale');
    await type('de-AT', 'Enter');
    expect(await focused()).toMatch(/^de-AT Title/);
    await page.getByRole('button', { name: 'Discard the draft' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).press('Enter');
    await svc.send('/v1/catalog', { catalog: before }, 'PUT');
  });

  test('makes a content in two languages, and says what is still to be written in each', async () => {
    const { page } = svc;
    const { catalog: before } = await current();
    await svc.go('/catalog');
    await svc.tabTo('Name of a new content');
    await type('two_tongues', 'Enter');
    await page.waitForURL('**/catalog/contents/two_tongues');
    await expect.poll(focused).toMatch(/^ Title/);
    await type('Good morning', 'Tab', 'Have a nice day', 'Tab', 'de', 'Enter');
    await page.getByText('2 fields to fill in').waitFor();
    await page.getByText('To fill in: Title, Body').waitFor();
    await expect.poll(focused).toMatch(/^de Title/);
    // What was not written yet is not wrong, until storing it is tried, which leads to the first of it.
    const look = page.getByRole('figure');
    expect(await page.locator('.issue').count()).toBe(0);
    await type('ControlOrMeta+S');
    await expect.poll(() => page.locator('.issue').count()).toBe(2);
    await page.getByText('2 errors to correct').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expect.poll(focused).toMatch(/^de Title/);
    // The preview follows the language that is edited.
    await type('In German');
    await expect.poll(() => look.innerText()).toContain('In German');
    await type('Tab', 'A German day');
    expect(await look.innerText()).toContain('A German day');
    // From a language to another, and back: by its name, and by Escape and the arrow into the form.
    await page.getByLabel('Add a translation for the locale').focus();
    await type('de', 'Enter');
    await expect.poll(() => look.innerText()).toContain('In German');
    expect(await focused()).toMatch(/^de Title/);
    await type('Escape', 'ArrowDown');
    await expect.poll(() => look.innerText()).toContain('Good morning');
    await type('ControlOrMeta+S');
    await expect.poll(focused).toBe(' What the change is for');
    await type('Enter');
    const texts = { de: { title: 'In German', body: 'A German day' } };
    await expect.poll(async () => (await contents()).at(-1)).toMatchObject({ title: 'Good morning', texts });
    await page.getByText(/^Published as version/).waitFor();
    // A key leads from anywhere to a translation, and on to where one is added.
    await type('Alt+T');
    await expect.poll(focused).toMatch(/^de Title/);
    await type('Alt+T');
    await expect.poll(focused).toBe(' Add a translation for the locale');
    await type('Alt+T');
    await expect.poll(focused).toMatch(/^de Title/);
    await page.getByRole('link', { name: 'All of the catalog' }).click();
    await page.getByRole('row', { name: /^two_tongues.*de$/ }).waitFor();
    await svc.send('/v1/catalog', { catalog: before }, 'PUT');
    await expect.poll(async () => (await contents()).at(-1)).not.toMatchObject({ texts });
  });

  test('leads by the arrow from the search to what it finds, and from any link of the versions through them', async () => {
    const { page } = svc;
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await svc.go('/catalog');
    await page.getByRole('table', { name: 'Contents' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('savings_b');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('savings_boost');
    // Only what is found is counted.
    await page.getByRole('heading', { name: /^1 of \d+ contents$/ }).waitFor();
    await page.getByRole('heading', { name: /^0 of \d+ templates$/ }).waitFor();
    await svc.checkAccessibility();
    // Enter opens what is found alone; of several, none.
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog/contents/savings_boost');
    await svc.go('/catalog');
    await page.getByLabel('Search').fill('s');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog?search=s');
    await svc.go('/catalog');
    await page.getByRole('link', { name: 'History' }).press('Enter');
    await page.waitForURL('**/catalog/versions');
    await page.getByRole('heading', { name: /^History: \d+ versions since version 0$/ }).waitFor();
    await page
      .getByRole('link', { name: /what it changed and earned$/ })
      .nth(1)
      .press('Enter');
    await page.waitForURL('**/catalog/versions/*');
    // On a small screen the note stays, and the way back is in the detail.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('columnheader', { name: 'Note' }).waitFor();
    await page
      .getByRole('region', { name: /^Version \d+$/ })
      .getByRole('button', { name: /^Go back to/ })
      .waitFor();
    await svc.checkAccessibility();
    await page.setViewportSize({ width: 1280, height: 800 });
    const rows = page.getByRole('table', { name: 'Versions' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    await page.getByRole('link', { name: 'All of the catalog' }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await rows.nth(1).locator('th :focus').count()).toBe(1);
    // Also from what else a row has.
    await rows.nth(1).getByRole('button').focus();
    await page.keyboard.press('ArrowUp');
    expect(await rows.nth(0).locator('th :focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/catalog/versions');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/catalog');
  });

  test('keeps a draft over a reload, pauses and withdraws, and goes back to an earlier version', async () => {
    const { page } = svc;
    const before = (await contents()).length;
    await svc.go('/catalog/contents/card_offer');
    await page.getByLabel('Paused').check();
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    await expect.poll(() => page.getByLabel('Paused').isChecked()).toBe(true);
    await svc.go('/catalog/contents/night_offer');
    await page.getByRole('button', { name: 'Remove from the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from the draft' }).click();
    await page.waitForURL('**/catalog');
    const { version } = await current();
    await page.getByRole('button', { name: 'Publish the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText(`Published as version ${version + 1}.`).waitFor();
    expect((await current()).version).toBe(version + 1);
    await svc.checkAccessibility();
    const paused = (await contents()).find(({ contentId }) => contentId === 'card_offer');
    expect(paused).toMatchObject({ paused: true });
    expect(await contents()).toHaveLength(before - 1);
    await svc.go('/catalog/versions');
    await page.getByRole('button', { name: `Go back to ${version}` }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Go back to ${version}` })
      .click();
    await expect.poll(async () => (await current()).version).toBe(version + 2);
    expect(await contents()).toHaveLength(before);
    // It has an author, as one that was published, and nobody goes back to what is in force.
    const row = page.getByRole('table', { name: 'Versions' }).getByRole('row').nth(1);
    await row.getByText('in force').waitFor();
    expect(await row.innerText()).toContain('console');
    const back = (to: number) => page.getByRole('button', { name: `Go back to ${to}`, exact: true });
    const rightOf = async (to: number) => {
      const { x, width } = (await back(to).boundingBox())!;
      return x + width;
    };
    expect(await back(version).count()).toBe(0);
    expect(Math.abs((await rightOf(version + 1)) - (await rightOf(0)))).toBeLessThan(24);
  });

  test('shows the stored catalog again once a draft is discarded, and no draft of another workspace', async () => {
    const { page } = svc;
    await svc.go('/catalog/contents/card_offer');
    const surfaces = page.getByLabel(/^Surfaces/);
    const stored = await surfaces.inputValue();
    expect(stored).not.toBe('');
    await surfaces.fill(`${stored}, elsewhere, `);
    expect(await surfaces.inputValue()).toBe(`${stored}, elsewhere, `);
    await page.getByRole('heading', { name: 'Draft: 1 entry changed' }).waitFor();
    await page.getByText('What it changes').press('Enter');
    const changes = page.getByRole('list', { name: 'What the draft changes' });
    await expect
      .poll(() => changes.innerText())
      .toMatch(new RegExp(`^card_offer content changed\\s+Surfaces: ${stored} → ${stored}, elsewhere$`));
    await svc.checkAccessibility();
    // Going back would lose it.
    await svc.go('/catalog/versions');
    await page.getByText('publish or discard the draft to go back').waitFor();
    expect(await page.getByRole('button', { name: /^Go back to/ }).count()).toBe(0);
    await svc.go('/catalog/contents/card_offer');
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => surfaces.inputValue()).toBe(stored);
    await page.evaluate(
      `sessionStorage.setItem('svc-console-catalog-draft', '{"workspace":"ws_other","version":0,"catalog":{}}')`,
    );
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    expect(await surfaces.inputValue()).toBe(stored);
    expect(await page.getByRole('button', { name: 'Publish the draft' }).count()).toBe(0);
  });

  test('makes a goal in its form, and says what the latest events do not have of it', async () => {
    const { page } = svc;
    await svc.go('/catalog');
    await page.getByLabel('Name of a new goal').fill('order');
    await page.getByRole('button', { name: 'New goal' }).click();
    await page.waitForURL('**/catalog/goals/order');
    expect(await page.getByText(/guardrails|`/).count()).toBe(0);
    await page.getByLabel(/^Counts for so long/).fill('3 weeks');
    await page.keyboard.press('Tab');
    await page.getByText('must be a span such as 30m', { exact: false }).waitFor();
    await page.getByLabel(/^Counts for so long/).fill('12h');
    await page
      .getByLabel(/^Event/)
      .first()
      .fill('no_such_event');
    await page.getByText('is named no_such_event', { exact: false }).waitFor();
    const status = page.getByRole('status').filter({ hasText: 'No errors' });
    await expect.poll(() => status.innerText()).toBe('No errors, 1 warning');
    expect(await page.getByText('from before the draft').count()).toBe(0);
    await svc.checkAccessibility();
    // What was only in the draft is gone with it.
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL('**/catalog');
    await page.getByLabel('Name of a new goal').fill('order');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog/goals/order');
    await page.getByLabel(/^Counts for so long/).fill('12h');
    await page
      .getByLabel(/^Event/)
      .first()
      .fill('no_such_event');
    await page.getByRole('button', { name: 'Publish the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect
      .poll(async () => (await current()).catalog.goals)
      .toEqual([{ goalId: 'order', event: 'no_such_event', within: '12h' }]);
    await svc.go('/catalog');
    await page
      .getByRole('table', { name: 'Goals' })
      .getByRole('row', { name: /^order no_such_event/ })
      .waitFor();
    // Another draft did not bring the warning.
    await svc.go('/catalog/contents/card_offer');
    await page
      .getByLabel(/^Title/)
      .first()
      .fill('A better card');
    await expect.poll(() => status.innerText()).toBe('No errors, 1 warning');
    await page.getByText('from before the draft').waitFor();
    await svc.checkAccessibility();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  });

  test('names conditions in words, and keeps the seconds of a time', async () => {
    const { page } = svc;
    const { catalog } = await current();
    const [first, ...rest] = catalog.contents as Record<string, unknown>[];
    const changed = { ...first, activeUntil: '2031-01-01T23:59:59Z' };
    await svc.send('/v1/catalog', { catalog: { ...catalog, contents: [changed, ...rest] } }, 'PUT');
    await svc.go(`/catalog/contents/${first!.contentId}`);
    expect(await page.getByLabel(/^Active until/).inputValue()).toBe('2031-01-01T23:59:59');
    await page.getByText('Who may get it').click();
    const traits = page.getByRole('group', { name: 'What is known of the user' });
    await traits.getByRole('button', { name: 'Add' }).click();
    await traits.getByLabel(/^Trait/).fill('plan');
    await traits.getByLabel(/^One of/).fill('gold, 3');
    await page.getByText('No errors').waitFor();
    await svc.checkAccessibility();
    await page.getByRole('button', { name: 'Publish the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect
      .poll(async () => (await contents())[0])
      .toEqual({ ...changed, eligibility: { traits: [{ trait: 'plan', oneOf: ['gold', 3] }] } });
    await traits.getByRole('button', { name: 'Remove', exact: true }).click();
    await traits.getByLabel(/^Trait/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await traits.getByLabel(/^Trait/).waitFor();
  });

  test('previews a template by channel with sample values', async () => {
    const { page } = svc;
    const templates = [
      {
        templateId: 'order_news',
        title: 'Your order {{orderId}}',
        body: 'Hello {{user.name|there}}, {{orderId}} is on its way.',
        sms: { text: 'Order {{orderId}}' },
        locales: { de: { body: 'Order in German {{orderId}}' } },
      },
    ];
    const { catalog } = await current();
    await svc.send('/v1/catalog', { catalog: { ...catalog, templates } }, 'PUT');
    await svc.go('/catalog/templates/order_news');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Order ‹orderId›').waitFor();
    await preview.getByLabel('orderId').fill('A-17');
    await preview.getByText('Order A-17').waitFor();
    await preview.getByLabel('Channel').selectOption('email');
    await preview.getByText('Hello Ada, A-17 is on its way.').waitFor();
    await preview.getByLabel('Locale').selectOption('de');
    await preview.getByText('Order in German A-17').waitFor();
    await svc.checkAccessibility();

    await page.getByLabel('Add a translation for the locale').fill('fr');
    await page.getByLabel('Add a translation for the locale').press('Tab');
    await page.keyboard.press('Enter');
    const part = (name: string) => page.locator(`details:has(> summary:has-text("${name}"))`);
    await page
      .getByRole('group', { name: /^fr/ })
      .getByLabel(/^Body/)
      .first()
      .fill('Order in French {{orderId}}');
    await page.getByText('Quiet hours', { exact: true }).click();
    await part('Quiet hours').getByLabel(/^From/).fill('21:00');
    await part('Quiet hours')
      .getByLabel(/^Until/)
      .fill('08:00');
    await page.getByText('No errors').waitFor();
    await svc.checkAccessibility();
    await page.getByRole('button', { name: 'Publish the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect
      .poll(async () => ((await current()).catalog.templates as unknown[])[0])
      .toMatchObject({
        locales: { de: { body: 'Order in German {{orderId}}' }, fr: { body: 'Order in French {{orderId}}' } },
        quietHours: { from: '21:00', until: '08:00' },
      });
    await page.getByLabel('At no time').check();
    await part('Quiet hours').getByLabel(/^From/).waitFor({ state: 'detached' });
    await page.getByText('No errors').waitFor();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  });
});

describe.runIf(hasChromium)('a version of the catalog that was in force for hours', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    const clock = laggingClock();
    svc = await startConsole({
      clock,
      live: async (send) => {
        const { catalog } = await send<AnswerOf<'getCatalog'>>('/v1/catalog');
        const contents = (catalog.contents as { contentId: string }[]).map((content) =>
          content.contentId === 'card_offer' ? { ...content, title: 'A better title' } : content,
        );
        const put = (of: object) =>
          send('/v1/catalog', { catalog: { ...catalog, settings: { holdout: 0.3 }, ...of } }, 'PUT');
        clock.lagMs = 86_400_000;
        await put({});
        const improve = () => put({ contents });
        await liveThroughHours(send, clock, { improve, hours: 12, perHour: 30 });
      },
    });
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('says what contents earned before and after it, with what is certain of the difference', async () => {
    const { page } = svc;
    const { createdAt } = await svc.send<{ createdAt: string }>('/v1/catalog/versions/2');
    await svc.go('/catalog');
    await page.getByRole('link', { name: 'What version 2 changed and earned' }).press('Enter');
    await page.waitForURL('**/catalog/versions/2');
    const shown = page.getByRole('region', { name: 'Version 2' });
    await shown.getByRole('heading', { name: 'Version 2: 1 entry changed' }).waitFor();
    await shown.getByText('A better title').waitFor();
    const hour = 3_600_000;
    const [end, start] = [Math.floor, Math.ceil].map((round) => round(Date.parse(createdAt) / hour) * hour);
    const length = Math.floor((Date.now() - start!) / hour) * hour;
    const rateIn = async (since: number, until: number) => {
      const range = [since, until].map((at) => new Date(at).toISOString());
      const { contents } = await svc.send<AnswerOf<'getDecisionTrend'>>(
        `/v1/trends/decisions?since=${range[0]}&until=${range[1]}&contents=50`,
      );
      return contents.find(({ contentId }) => contentId === 'card_offer')!.total!;
    };
    const before = await rateIn(end! - length, end!);
    const after = await rateIn(start!, start! + length);
    expect(Math.min(before.served, after.served)).toBeGreaterThan(0);
    // Both spans name their days unless all of it was today.
    await shown
      .getByText(/^(.*\d\d:00) to (.*\d\d:00) before, (.*\d\d:00) to (.*\d\d:00) after, with/)
      .waitFor();
    const row = shown.getByRole('row', { name: /^card_offer/ });
    const percent = ({ rate }: { rate: number }) => `${(100 * rate).toFixed(1)} %`;
    await expect.poll(() => row.innerText()).toContain(`${percent(before)} → ${percent(after)}`);
    expect(await row.innerText()).toContain(`${before.served} → ${after.served}`);
    expect(await row.innerText()).toContain(
      `${after.rate < before.rate ? '−' : '+'}${Math.abs(100 * (after.rate - before.rate)).toFixed(1)}`,
    );
    await shown
      .getByRole('heading', { name: /^card_offer earns|^All together earn|^Nothing earns/ })
      .waitFor();
    // What it did not change, and the holdout group, stand beside it.
    const trendIn = (since: number, until: number) =>
      svc.send<AnswerOf<'getDecisionTrend'>>(
        `/v1/trends/decisions?since=${new Date(since).toISOString()}&until=${new Date(until).toISOString()}&contents=50`,
      );
    const [earlier, later] = [await trendIn(end! - length, end!), await trendIn(start!, start! + length)];
    const others = ({ total }: typeof earlier, own: { served: number; rewarded: number }) => ({
      rate: (total!.rewarded - own.rewarded) / (total!.served - own.served),
    });
    expect(await shown.getByRole('row', { name: /^Unchanged contents/ }).innerText()).toContain(
      `${percent(others(earlier, before))} → ${percent(others(later, after))}`,
    );
    expect(await shown.getByRole('row', { name: /^Held out users/ }).innerText()).toContain(
      `${earlier.holdoutTotal!.served} → ${later.holdoutTotal!.served}`,
    );
    await svc.checkAccessibility();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await layoutProblems(page)).toEqual([]);
    for (const part of ['.badge', '.interval']) {
      const { x, width } = (await row.locator('td').locator(part).boundingBox())!;
      expect(x + width, part).toBeLessThanOrEqual(390);
    }
  });

  test.each([
    ['all of it', 0.1, ''],
    ['the rest of it', 0.17, '; unchanged contents rose too, by 7\\.0, so only 23\\.0 is its doing'],
    ['nothing for sure', 0.36, '; unchanged contents rose too, by 26\\.0, so it may not be its doing'],
  ])('says in its headline that %s is due to the version', async (_, rateAfter, words) => {
    const { page } = svc;
    const { createdAt } = await svc.send<{ createdAt: string }>('/v1/catalog/versions/2');
    await page.route('**/v1/trends/decisions?*', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const isBefore = new URL(route.request().url()).searchParams.get('until')! <= createdAt;
      const of = (served: number, rate: number, width: number) => {
        const [low, high] = [rate - width, rate + width];
        return { ...body.total, served, rewarded: served * rate, rate, low, high };
      };
      const own = of(200, isBefore ? 0.3 : 0.6, 0.05);
      const contents = [{ contentId: 'card_offer', served: [], rates: [], total: own }];
      const rewarded = own.rewarded + 2000 * (isBefore ? 0.1 : rateAfter);
      const total = of(own.served + 2000, rewarded / (own.served + 2000), 0.05);
      await route.fulfill({ response, json: { ...body, contents, total } });
    });
    await svc.go('/catalog/versions/2');
    await page
      .getByRole('heading', {
        name: new RegExp(
          `^card_offer ?earns 30\\.0 percentage points more since then, and that is certain${words}$`,
        ),
      })
      .waitFor();
    await page.unroute('**/v1/trends/decisions?*');
  });

  test('says of a version that was replaced at once that it is not compared, and so of the next one', async () => {
    const { page } = svc;
    const { catalog, version } = await svc.send<AnswerOf<'getCatalog'>>('/v1/catalog');
    for (const holdout of [0.2, 0.25])
      await svc.send('/v1/catalog', { catalog: { ...catalog, settings: { holdout } } }, 'PUT');
    for (const next of [1, 2]) {
      await svc.go(`/catalog/versions/${version + next}`);
      await page.getByText(/^Not compared: it or the version before it was too short in force/).waitFor();
    }
    await svc.checkAccessibility();
  });
});
