import type { Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

interface Deliveries {
  readonly deliveries: readonly { deliveryId: string; status: string; attempts: readonly unknown[] }[];
}

interface Failing {
  readonly deliveries: readonly {
    readonly attempts: readonly { readonly status: number | null }[];
    readonly nextAttemptAt: string | null;
  }[];
}

describe.runIf(hasChromium)('the webhooks view', () => {
  let svc: RunningConsole;
  const deliveries = async () => (await svc.send<Deliveries>('/v1/deliveries')).deliveries;
  /** Reads how far it is with what is sent again until the page says so: by itself, it looks only each ten seconds. */
  const refreshUntil = (text: string | RegExp) =>
    expect
      .poll(
        async () => {
          await svc.page.getByRole('button', { name: 'Refresh' }).press('Enter');
          return svc.page.getByText(text).count();
        },
        { interval: 2000 },
      )
      .toBeGreaterThan(0);
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('shows the attempts of a delivery and sends it again, by keyboard alone', async () => {
    const { page } = svc;
    await expect
      .poll(async () => (await deliveries()).every(({ status }) => status === 'delivered'))
      .toBe(true);
    await svc.go('/webhooks');
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    const [first] = await deliveries();
    await svc.tabTo(/^(campaign|decision)\./);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.waitFor();
    expect(page.url()).toContain(`delivery=${first!.deliveryId}`);
    const attempts = await panel.getByRole('list', { name: 'Attempts' }).innerText();
    expect(attempts).toContain('HTTP 200');
    expect(attempts).toContain('signed by secret 1');
    const { body } = await svc.send<{ body: string }>(`/v1/deliveries/${first!.deliveryId}`);
    const shown = await panel.locator('.command.json pre').innerText();
    expect(shown).toBe(JSON.stringify(JSON.parse(body), null, 2));
    const { decisionId, hashId } = JSON.parse(body);
    for (const [name, path] of [
      [decisionId, `/decisions/${decisionId}`],
      [hashId, `/users/${hashId}`],
    ] as const)
      expect(await panel.locator(`a[href="${path}"]`).getByTitle(name).count()).toBe(1);
    await svc.checkAccessibility();

    await svc.tabTo('Deliver again');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Deliver again?' });
    await dialog.waitFor();
    await svc.tabTo('Deliver again');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await expect
      .poll(
        async () =>
          (await deliveries()).find(({ deliveryId }) => deliveryId === first!.deliveryId)!.attempts.length,
      )
      .toBe(2);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    expect(page.url()).not.toContain('delivery=');
  });

  test('says of a subscription that many of its attempts failed, and when one succeeded last', async () => {
    const { page, data } = svc;
    let hidesSuccess = false;
    let lastFailure = { before: '2026-02-03T14:05:00.000Z', delivered: 9 };
    await page.route('**/v1/trends/deliveries*', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const [went] = body.subscriptions;
      const subscriptions = [{ ...went, attempts: 100, delivered: 48, lastFailure }];
      await route.fulfill({ response: answer, json: { ...body, subscriptions } });
    });
    await page.route(/\/v1\/deliveries(\?|$)/, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const json = hidesSuccess ? { ...body, deliveries: [] } : body;
      await route.fulfill({ response: answer, json });
    });
    const times = (
      await svc.send<{ deliveries: { attempts: { at: string }[] }[] }>('/v1/deliveries')
    ).deliveries
      .flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at)))
      .sort((a, b) => a - b);
    await svc.go('/webhooks');
    const row = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').nth(1);
    await row.getByText('fails mostly').waitFor();
    const last = row.getByRole('time').last();
    expect(Date.parse((await last.getAttribute('datetime'))!)).toBe(times.at(-1));
    // Where no delivery that is listed says it, its step of the statistics does.
    hidesSuccess = true;
    await svc.go('/webhooks');
    await row.getByText(/^after [\w: ]+$/).waitFor();
    hidesSuccess = false;
    await svc.go(`/webhooks?webhookId=${data.webhookId}&range=day`);
    await page
      .getByRole('heading', {
        name: /^Fails mostly: 52 % of the 100 attempts since .*\d\d:00 failed; the latest succeeded$/,
      })
      .waitFor();
    await svc.checkAccessibility();
    // What is over is told as what was.
    lastFailure = { ...lastFailure, delivered: 100 };
    await svc.tabTo('Refresh');
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', {
        name: /^Works: the latest 100 attempts succeeded\. It failed mostly until 3 Feb \d\d:05: 52 % of the 100 attempts since .*\d\d:00$/,
      })
      .waitFor();
    await svc.go('/webhooks');
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByText(/failed mostly until 3 Feb \d\d:05; the 100 attempts since arrived$/).waitFor();
    await page.getByRole('heading', { name: 'One subscription, active', exact: true }).waitFor();
    await svc.checkAccessibility();
    await page.unrouteAll({ behavior: 'wait' });
    // A state without deliveries says what that means, and leads back.
    await svc.go('/webhooks?status=pending');
    await page.getByText('No pending deliveries.').waitFor();
    expect(await page.getByText('svc webhooks listen').count()).toBe(0);
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
  });

  test('shows a subscription with all that it gets, and reads all of its figures together', async () => {
    const { page, data } = svc;
    const { webhookId } = data;
    const attempts = async () => {
      const { performance } = await svc.send<{ performance: { week: { attempts: number } } }>(
        `/v1/webhooks/${webhookId}`,
      );
      return performance.week.attempts;
    };
    await svc.go(`/webhooks?webhookId=${webhookId}`);
    const head = page.getByRole('region', { name: 'Subscription', exact: true });
    const chart = page.getByRole('region', { name: 'Attempts' });
    for (const kind of ['campaign.opened', 'campaign.clicked', 'decision.actioned'])
      await head.getByText(kind, { exact: true }).waitFor();
    await head.getByText('set then, version 1; never shown').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^http:.*\/hook$/);
    await head.getByRole('heading', { name: 'Works: the latest attempt succeeded' }).waitFor();
    // Nothing is to be done, and no figure of the attempts stands twice.
    expect(await head.locator('.primary').count()).toBe(0);
    expect(await head.innerText()).not.toMatch(/Attempts|%/);
    const agree = async () => {
      const n = await attempts();
      await chart.getByText(new RegExp(`^${n} attempts, each column is`)).waitFor();
    };
    await agree();
    const before = await attempts();
    const { deliveryId } = (await deliveries())[0]!;
    await svc.send(`/v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect.poll(attempts).toBe(before + 1);
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await agree();
    await chart
      .getByText(/^100 % of the attempts succeeded in the last 7 days, P95 of the answers \d+ ms$/)
      .waitFor();
    await page.getByRole('radio', { name: 'Last hour' }).press('Space');
    await page.waitForURL('**/webhooks?*range=hour');
    await chart.getByText(/succeeded in the last hour/).waitFor();
    // All columns are as wide, and the one of the five minutes that have begun is said to be that.
    const [, , across] = (await chart.locator('svg.outcomes').getAttribute('viewBox'))!.split(' ');
    expect(Number(across)).toBe(13);
    await chart.getByText(/each column is 5 min, of which the last is not over yet/).waitFor();
    await chart.getByText('Figures as a table').press('Enter');
    const rows = chart.getByRole('table').getByRole('row');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    for (const [word, line] of [
      ['Send a test…', 'svc webhooks test http:'],
      ['Rotate the secret…', `svc webhooks rotate ${webhookId}`],
    ] as const) {
      await svc.tabTo(word);
      await page.keyboard.press('Enter');
      await head.getByText(line).waitFor();
      await svc.checkAccessibility();
      await svc.tabTo(`Copy: ${word.slice(0, -1)}`);
      await page.keyboard.press('Enter');
      await expect.poll(() => svc.copied()).toContain(line);
      await page.keyboard.press('Escape');
      await head.getByText(line).waitFor({ state: 'hidden' });
    }
    await chart.getByText('Figures as a table').press('Enter');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblems(page)).toEqual([]);
    }
  });

  test('retries what did not arrive, after its number is confirmed, by keyboard alone', async () => {
    const { page } = svc;
    const attempts = async () => (await deliveries()).reduce((sum, each) => sum + each.attempts.length, 0);
    await svc.go('/webhooks');
    const { length: n } = await deliveries();
    await page.getByRole('heading', { name: `All of the latest ${n} deliveries arrived` }).waitFor();
    expect(await page.getByRole('button', { name: /not arrived/ }).count()).toBe(0);
    const before = await attempts();
    await svc.giveUpDeliveries();
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page.getByRole('heading', { name: new RegExp(`latest ${n} .* ${n} were given up`) }).waitFor();
    await svc.tabTo('Resend what has not arrived…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^${n} deliveries to http:`)).waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    // Hidden at once, it leaves the page with its event `close`.
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await attempts()).toBe(before);

    await page.keyboard.press('Enter');
    await svc.tabTo(`Send ${n} deliveries`);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await refreshUntil(`Done: ${n} of ${n} arrived`);
    await svc.checkAccessibility();
    await expect.poll(attempts).toBe(before + n);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByRole('heading', { name: /^All of the latest/ }).waitFor();
    await page.getByRole('button', { name: /not arrived/ }).waitFor({ state: 'detached' });
  });

  test('says that all was given up where nothing is retried, and offers to send it again', async () => {
    const { page, data } = svc;
    const path = `/v1/webhooks/${data.webhookId}`;
    const { deliveryId } = (await deliveries())[0]!;
    svc.failDeliveries(true);
    await svc.send(`${path}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect
      .poll(async () => (await svc.send<{ failingSince?: string }>(path)).failingSince)
      .toBeDefined();
    await svc.go('/webhooks');
    const row = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').nth(1);
    await row.getByText('retrying').waitFor();
    await svc.giveUpDeliveries();
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await expect.poll(() => row.innerText()).toMatch(/failing all given up since \d\d:\d\d/);
    await page.getByText(/^One subscription, not disabled, but every attempt has failed since/).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblems(page)).toEqual([]);
      const state = row.getByText('all given up since');
      expect(await state.evaluate((e) => e.scrollWidth <= e.clientWidth + 1)).toBe(true);
    }
    await svc.checkAccessibility();
    svc.failDeliveries(false);
    await svc.tabTo(/^Resend http:/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Send again?' }).waitFor();
    await page.getByRole('button', { name: /^Send \d+ deliver/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Done: (\d+) of \1 arrived/).waitFor();
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await row.getByText(/^(active|fails often|fails mostly)$/).waitFor();
  });

  test('says of a subscription since when and why it fails, what to do, and how its attempts went', async () => {
    const { page, data } = svc;
    const path = `/v1/webhooks/${data.webhookId}`;
    const { deliveryId } = (await deliveries())[0]!;
    svc.failDeliveries(true);
    await svc.send(`${path}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect
      .poll(async () => (await svc.send<{ failingSince?: string }>(path)).failingSince)
      .toBeDefined();
    await svc.giveUpDeliveries();
    await svc.go(`/webhooks?webhookId=${data.webhookId}`);
    const head = page.getByRole('region', { name: 'Subscription', exact: true });
    await head
      .getByRole('heading', { name: /^Fails since \d\d:\d\d:\d\d, and all was given up: HTTP 500$/ })
      .waitFor();
    await head.getByText(/^Failed most recently: \S+, at \d\d:\d\d:\d\d: HTTP 500$/).waitFor();
    await head.getByText('Nothing is sent again without you.', { exact: false }).waitFor();
    expect(await head.locator('.primary').allInnerTexts()).toEqual(['Resend what has not arrived…']);
    await head.getByRole('button', { name: 'Resend what has not arrived…' }).press('Enter');
    await page.getByRole('button', { name: /^Send \d+ deliver/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    const runs = page.getByRole('list', { name: 'Latest attempts' }).getByRole('listitem');
    expect(await runs.first().innerText()).toMatch(/^failed HTTP 500/);
    expect(await runs.nth(1).innerText()).toMatch(/^arrived HTTP 200/);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblems(page)).toEqual([]);
    }
    await svc.checkAccessibility();
    await runs.first().getByRole('button').press('Enter');
    await page.waitForURL(`**/webhooks?*delivery=${deliveryId}`);
    await page.getByRole('complementary', { name: 'Detail' }).waitFor();
    await page.keyboard.press('Escape');
    svc.failDeliveries(false);
    await svc.send(`${path}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect
      .poll(async () => (await svc.send<{ failingSince?: string }>(path)).failingSince)
      .toBeUndefined();
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await head
      .getByRole('heading', {
        name: /^(Works: the latest (\d+ )?attempts? succeeded|Fails \w+: \d+ % .*; the latest succeeded$)/,
      })
      .waitFor();
    // The others that were given up can still be sent.
    await head.getByRole('button', { name: 'Resend what has not arrived…' }).press('Enter');
    await page.getByRole('button', { name: /^Send \d+ deliver/ }).press('Enter');
    await page.getByText(/^Done: (\d+) of \1 arrived/).waitFor();
  });

  test('opens a delivery by its address wherever it is in the list, and says where each one went', async () => {
    const { page, data } = svc;
    const [first] = await deliveries();
    await svc.go(`/webhooks?status=failed&delivery=${first!.deliveryId}`);
    await page.getByText('No failed deliveries.').waitFor();
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByText(data.webhookId, { exact: true }).first().waitFor();
    const link = panel.getByRole('link', { name: /^All deliveries to http/ });
    expect(await link.innerText()).toMatch(/^http:.*\/hook$/);
    await panel.getByRole('list', { name: 'Attempts' }).waitFor();
    await svc.go('/webhooks');
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
    // The first is for narrow windows.
    await row
      .getByText(/\/hook$/)
      .last()
      .waitFor();
  });

  test('lists what happened in the range of time, and counts the attempts in it', async () => {
    const { page } = svc;
    const table = page.getByRole('table', { name: 'Deliveries' });
    await svc.go('/webhooks?range=hour');
    await table.waitFor();
    await page.getByText(/^Hidden: deliveries of what happened at other times\./).waitFor();
    // A day begins with an hour, as it does in the overview.
    const asked = page.waitForRequest(/\/v1\/trends\/deliveries/);
    await svc.go('/webhooks?range=day');
    const since = Date.parse(new URL((await asked).url()).searchParams.get('since')!);
    expect(since % 3_600_000).toBe(0);
    expect(Math.floor(Date.now() / 3_600_000) - since / 3_600_000).toBe(23);
    await page.getByRole('heading', { name: /of the attempts succeeded since .*\d\d:00, / }).waitFor();
    // The chart counts whole hours: one that began before `before` has what came later in it.
    const before = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await svc.go(`/webhooks?until=${before}`);
    await page.getByText('No deliveries match.').waitFor();
    await page.getByText('Nothing was attempted in the 7 days before').waitFor();
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toContain(`svc webhooks deliveries --until=${before}`);
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    await table.waitFor();
    expect(page.url()).not.toContain('until');
  });

  test('enables a subscription and sends what it missed, by keyboard alone', async () => {
    const { page, data } = svc;
    const path = `/v1/webhooks/${data.webhookId}`;
    const before = (await deliveries()).length;
    await svc.send(path, { status: 'disabled' }, 'PATCH');
    const [decisionId] = data.decisionIds;
    await svc.send(`/v1/messages/${decisionId}/outcomes`, { type: 'opened' });
    await svc.go('/webhooks');
    await page.getByText('The subscription is disabled').waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblems(page)).toEqual([]);
    }
    const subscription = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').nth(1);
    await expect.poll(() => subscription.innerText()).toMatch(/disabled since \S+: disabled by request/);
    await expect.poll(() => subscription.innerText()).toMatch(/\s1 missed\s/);
    await svc.tabTo(/^Enable http:/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Enable the subscription?' });
    await dialog.getByText(/^It missed 1 outcome since .* They are sent in order/).waitFor();
    await svc.checkAccessibility();
    await svc.tabTo('Since it was disabled');
    await page.keyboard.press('ArrowRight');
    await dialog.getByText(/^It missed 1 outcome since .* They are not sent/).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByLabel('Since (your time, UTC)').fill('2026-01-01T00:00');
    await dialog.getByText(/^It missed \d+ outcomes since (1 Jan|2026-01-01)/).waitFor();
    await svc.checkAccessibility();
    await svc.tabTo('Since a time');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await dialog.getByText(/^It missed 1 outcome since .* They are sent in order/).waitFor();
    await svc.tabTo('Enable');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('One subscription, active').waitFor();
    await expect.poll(async () => (await deliveries()).length).toBe(before + 1);
    expect(await svc.send(path)).toMatchObject({ status: 'active' });
  });

  test('shows what a subscription is for, and lists its deliveries alone by keyboard or a click on its row', async () => {
    const { page, data } = svc;
    await svc.send(`/v1/webhooks/${data.webhookId}`, { description: 'for the ledger' }, 'PATCH');
    await svc.go('/webhooks');
    const row = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').nth(1);
    const cell = row.getByText('for the ledger');
    await cell.waitFor();
    expect(await row.getByRole('link').getAttribute('href')).toContain(`webhookId=${data.webhookId}`);
    await svc.tabTo(/^The subscription of/);
    await page.keyboard.press('Enter');
    await page.getByText('to one subscription, the latest first').waitFor();
    expect(page.url()).toContain(`webhookId=${data.webhookId}`);
    await page.getByRole('link', { name: 'All subscriptions' }).press('Enter');
    await page.getByText('to all subscriptions, the latest first').waitFor();
    expect(page.url()).not.toContain('webhookId=');
    await cell.click();
    await page.getByText('to one subscription, the latest first').waitFor();
  });

  test('says since when an active subscription gets nothing, disables and enables it with what waits, and ends truthfully', async () => {
    const { page, data } = svc;
    const path = `/v1/webhooks/${data.webhookId}`;
    const read = () => svc.send<{ failingSince?: string; pending: number; createdAt: string }>(path);
    const { deliveryId } = (await deliveries())[0]!;
    svc.failDeliveries(true);
    await svc.send(`${path}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect.poll(async () => (await read()).failingSince).toBeDefined();
    const { failingSince, createdAt } = await read();
    expect(failingSince! > createdAt).toBe(true);
    await svc.go('/webhooks');
    await page
      .getByText('One subscription, not disabled, and the latest attempt failed and is retried')
      .waitFor();
    const subscriptions = page.getByRole('table', { name: 'Subscriptions' });
    await subscriptions.getByText('retrying').waitFor();
    // Once it has been so for long, a person is needed.
    const since = Date.parse(failingSince!) - 70 * 60_000;
    await svc.failSince(since);
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    const title = page.getByText(/^One subscription, not disabled, but every attempt has failed since .*\d$/);
    expect(Date.parse((await title.getByRole('time').getAttribute('datetime'))!)).toBe(since);
    await subscriptions.getByText('failing').waitFor();

    await svc.go(`/webhooks?webhookId=${data.webhookId}`);
    await page.getByRole('heading', { name: /^Fails since .*\d\d:\d\d.*: HTTP 500$/ }).waitFor();
    await svc.tabTo('Disable…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Disable the subscription?' }).waitFor();
    await svc.tabTo('Disable');
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { name: /^Disabled since .*, and missed 0 outcomes: disabled by request$/ })
      .waitFor();
    await svc.send(`/v1/messages/${data.decisionIds[1]}/outcomes`, { type: 'opened' });
    const { pending } = await read();
    expect(pending).toBe(1);
    await svc.tabTo('Enable…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Enable the subscription?' });
    await dialog
      .getByText(
        /^It missed 1 outcome since .* 1 delivery from before it was disabled waits and goes out too, with its next attempt\.$/,
      )
      .waitFor();
    // Its next attempt may be minutes away.
    await svc.dueDeliveries();
    await svc.tabTo('Enable');
    await page.keyboard.press('Enter');
    // What fails again was sent, and waits for its next attempt.
    const progress = page.getByRole('status').filter({ hasText: /sent|arrived/ });
    await refreshUntil('2 of 2 sent: 0 arrived, 2 failed');
    await progress.getByText(/^they are tried again at [\d:]+$/).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutProblems(page)).toEqual([]);
      const right = async (of: string) => {
        const { x, width: w } = (await progress.locator(of).boundingBox())!;
        return x + w;
      };
      expect(await right('.figure')).toBeLessThanOrEqual((await right('.bar')) + 1);
    }
    await svc.checkAccessibility();
    svc.failDeliveries(false);
    // An attempt that is under way may fail once more: its delivery stays with its worker.
    const sentAgain = async () => {
      for (const each of await deliveries())
        if (each.status === 'pending')
          await svc.send(`${path}/deliveries/${each.deliveryId}/redeliver`, {}, 'POST');
      await page.getByRole('button', { name: 'Refresh' }).press('Enter');
      return progress.innerText();
    };
    await expect.poll(sentAgain, { interval: 2000 }).toContain('Done: 2 of 2 arrived');
    await progress.getByRole('button', { name: 'Done' }).press('Enter');
    await progress.waitFor({ state: 'detached' });
  });

  test('sends again what is chosen, with its count first', async () => {
    const { page, data } = svc;
    await svc.go(`/webhooks?webhookId=${data.webhookId}`);
    const { length: n } = await deliveries();
    const reading = new Set<Request>();
    let most = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith(`/v1/webhooks/${data.webhookId}`)) reading.add(request);
      most = Math.max(most, reading.size);
    });
    page.on('response', (response) => reading.delete(response.request()));
    page.on('requestfailed', (request) => reading.delete(request));
    // What has not arrived is none: what has is offered.
    await page.getByRole('button', { name: 'Resend what arrived…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send again?' });
    await dialog.getByRole('button', { name: `Send ${n} deliveries` }).waitFor();
    await dialog.getByRole('radio', { name: 'While it was disabled' }).press('Space');
    await dialog.getByText(/^\d+ outcomes of its kinds occurred for/).waitFor();
    await dialog.getByText(`svc webhooks update ${data.webhookId} --from`, { exact: false }).waitFor();
    await svc.checkAccessibility();
    await dialog.getByRole('radio', { name: 'All', exact: true }).press('Space');
    await dialog.getByRole('button', { name: `Send ${n} deliveries` }).press('Enter');
    await refreshUntil(`Done: ${n} of ${n} arrived`);
    expect(most).toBe(1);
    svc.failDeliveries(true);
    // Of what waits, a page has only the latest.
    const isPending = ({ searchParams: of }: URL) => of.get('status') === 'pending' && of.has('until');
    await page.route(isPending, async (route) => {
      const url = new URL(route.request().url());
      const isFirst = !url.searchParams.has('after');
      url.searchParams.delete('after');
      const response = await route.fetch({ url: url.href });
      const { deliveries: all }: Deliveries = await response.json();
      const json = isFirst ? { deliveries: all.slice(0, 2), next: 'rest' } : { deliveries: all.slice(2) };
      await route.fulfill({ response, json });
    });
    await page.getByRole('button', { name: 'Resend what arrived…' }).press('Enter');
    await dialog.getByRole('button', { name: `Send ${n} deliveries` }).press('Enter');
    await refreshUntil(`${n} of ${n} sent: 0 arrived, ${n} failed`);
    await page.getByText(/^they are tried again at [\d:]+$/).waitFor();
    const refused = async () =>
      (await svc.send<Failing>('/v1/deliveries?status=pending')).deliveries.filter(
        ({ attempts }) => attempts.at(-1)?.status === 500,
      ).length;
    await expect.poll(refused).toBe(n);
    await svc.giveUpDeliveries();
    await refreshUntil(`Done: 0 arrived, ${n} failed`);
    await page.unroute(isPending);
    svc.failDeliveries(false);
    await page.getByRole('button', { name: 'Resend what has not arrived…' }).press('Enter');
    await dialog.getByRole('button', { name: `Send ${n} deliveries` }).press('Enter');
    await refreshUntil(`Done: ${n} of ${n} arrived`);
  });

  test('counts the attempts of a subscription over the same time in the list and alone', async () => {
    const { page, data } = svc;
    const other = await svc.send<{ id: string }>('/v1/webhooks', {
      url: 'https://example.com/hook',
      signingSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      events: ['decision.actioned'],
    });
    const HOUR_MS = 3_600_000;
    const ages = new Map([
      [data.webhookId, 62 * 60_000],
      [other.id, 48 * HOUR_MS],
    ]);
    const isList = (url: URL) => url.pathname.endsWith('/v1/webhooks');
    await page.route(isList, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const each of json.webhooks)
        each.createdAt = new Date(Date.now() - ages.get(each.id)!).toISOString();
      await route.fulfill({ response, json });
    });
    const whole = Math.floor((Date.now() - 48 * HOUR_MS) / HOUR_MS) * HOUR_MS;
    for (const path of ['/webhooks', `/webhooks?webhookId=${data.webhookId}`]) {
      const asked = page.waitForRequest(/\/v1\/trends\/deliveries/);
      await svc.go(path);
      const since = new URL((await asked).url()).searchParams.get('since')!;
      expect(Date.parse(since)).toBe(whole);
      await page.getByRole('region', { name: 'Attempts' }).waitFor();
    }
    await page.unroute(isList);
    await svc.send(`/v1/webhooks/${other.id}`, undefined, 'DELETE');
  });

  test('counts why deliveries have not arrived, and lists those of a reason, by keyboard alone', async () => {
    const { page, data } = svc;
    const failing = (await deliveries()).slice(0, 3);
    svc.failDeliveries(true);
    for (const { deliveryId } of failing)
      await svc.send(`/v1/webhooks/${data.webhookId}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    const tried = async () =>
      (await svc.send<Failing>('/v1/deliveries?status=pending')).deliveries.filter(
        ({ attempts }) => attempts.at(-1)?.status === 500,
      ).length;
    await expect.poll(tried).toBe(3);
    for (const path of [`/webhooks?webhookId=${data.webhookId}`, '/webhooks']) {
      await svc.go(path);
      const reason = page
        .getByRole('list', { name: 'Why they have not arrived' })
        .getByRole('button', { name: '3 HTTP 500' });
      await reason.waitFor();
      await svc.tabTo(/^3 HTTP 500$/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/reason=HTTP(\+|%20)500/);
      await page.getByRole('heading', { name: '3 deliveries have not arrived: HTTP 500' }).waitFor();
      const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
      expect(await rows.count()).toBe(3);
      await page.getByText('Hidden: deliveries that have not failed for this reason.').waitFor();
      await svc.checkAccessibility();
      await page.getByRole('button', { name: 'Show all' }).press('Enter');
      await expect.poll(() => rows.count()).toBeGreaterThan(3);
    }

    // What waits for minutes is sent at once, and nothing else.
    const waitLong = async () =>
      (await svc.send<Failing>('/v1/deliveries?status=pending')).deliveries.filter(
        ({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') > Date.now() + 60_000,
      ).length;
    await expect.poll(waitLong, { timeout: 60_000 }).toBe(3);
    svc.failDeliveries(false);
    // It answers again, and they still wait.
    const path = `/v1/webhooks/${data.webhookId}`;
    const { deliveryId } = (await deliveries()).find(({ status }) => status === 'delivered')!;
    await svc.send(`${path}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect
      .poll(async () => (await svc.send<{ failingSince?: string }>(path)).failingSince)
      .toBeUndefined();
    const isLatest = ({ pathname, searchParams }: URL) =>
      pathname.endsWith('/v1/deliveries') && !searchParams.has('status');
    await page.route(isLatest, async (route) => {
      const response = await route.fetch();
      const json: Deliveries = await response.json();
      const latest = json.deliveries.filter(({ status }) => status === 'delivered');
      await route.fulfill({ response, json: { ...json, deliveries: latest } });
    });
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page
      .getByRole('heading', { name: /^All of the latest \d+ deliveries arrived; in all, 3 wait$/ })
      .waitFor();
    const subscription = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').nth(1);
    await subscription.getByText(/^(active|fails often|fails mostly)$/).waitFor();
    await subscription.getByRole('cell', { name: '3', exact: true }).waitFor();
    await subscription.getByRole('button', { name: /^Resend http:/ }).waitFor();
    await page.unroute(isLatest);
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await svc.tabTo('Resend what has not arrived…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send again?' });
    await dialog.getByText(/^svc webhooks redeliver .* --status undelivered$/).waitFor();
    // What has the focus at first sends it, and the button is three stops away.
    await dialog.getByText('Enter sends').waitFor();
    for (let stops = 0; stops < 3; stops++) await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Send 3 deliveries');
    for (let stops = 0; stops < 3; stops++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Done: 3 of 3 arrived').waitFor();
    await page.getByRole('heading', { name: /^All of the latest/ }).waitFor();
    expect((await svc.send<Failing>('/v1/deliveries?status=pending')).deliveries).toEqual([]);
  });

  test('shows the command that subscribes an address', async () => {
    const { page } = svc;
    await svc.go('/webhooks');
    await svc.tabTo('New subscription…');
    await page.keyboard.press('Enter');
    const command = page.getByText('svc webhooks create --url=https://example.com/hook');
    await command.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    const { x, width } = (await command.boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('names the filters in the copied command', async () => {
    const { page, data } = svc;
    await svc.go(`/webhooks?status=failed&webhookId=${data.webhookId}`);
    await page.getByText('No failed deliveries.').waitFor();
    await svc.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await svc.copied()).toMatch(
      new RegExp(`^svc webhooks deliveries ${data.webhookId} --status=failed`),
    );
  });
});
