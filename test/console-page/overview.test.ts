import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { DATE } from '../support/console/date-words.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the overview', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('is the page one lands on, with the five moves and links to their views', async () => {
    const { page, data } = svc;
    await svc.go('/');
    await page.waitForURL('**/overview');
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    await expect.poll(() => moves.count()).toBe(5);
    const { events, notifications } = await svc.send<{
      events: { stored: number };
      notifications: Record<string, number[]>;
    }>('/v1/overview');
    const texts = await moves.allInnerTexts();
    expect(texts[0]).toContain(`${events.stored}`);
    expect(texts[1]).toMatch(new RegExp(`^Decide\\s+Decisions\\s+${data.decisionIds.length}\\s`));
    const all = Object.values(notifications)
      .flat()
      .reduce((sum, n) => sum + n, 0);
    expect(texts[3]).toMatch(new RegExp(`^Notify\\s+Notifications\\s+${all}\\s`));
    await svc.checkAccessibility();
    await svc.tabTo('Notifications');
    await svc.tabTo('Webhooks');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/webhooks?range=day');
  });

  test('says what needs a person, and leads there', async () => {
    const { page, data } = svc;
    await svc.go('/overview');
    await page.getByRole('list', { name: 'The five moves' }).waitFor();
    const needed = page.getByRole('region', { name: 'Needs you' });
    // Notifications of the sample fail for users without an address.
    await needed
      .getByText(
        /of the \d+ notifications since [\w: ]+ failed: (\d+: )?The user has no address for this channel\./,
      )
      .waitFor();
    expect(await needed.getByRole('listitem').count()).toBe(1);
    // Once all is read, which the summary says: what is kept before would not be all.
    await page.getByText('1 thing needs you', { exact: true }).waitFor();
    // Who comes back finds it in its place, also before all is read again.
    let answer = () => {};
    await page.route('**/v1/overview', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await needed.getByText('The user has no address for this channel.').waitFor();
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    await svc.send(`/v1/webhooks/${data.webhookId}`, { status: 'disabled' }, 'PATCH');
    await svc.go('/overview');
    await needed.getByText('It gets no deliveries.').waitFor();
    await svc.checkAccessibility();
    const line = needed.getByRole('listitem').filter({ hasText: 'It gets no deliveries.' });
    await line.getByRole('link', { name: 'Show' }).press('Enter');
    await page.waitForURL(`**/webhooks?webhookId=${data.webhookId}`);
    await svc.send(`/v1/webhooks/${data.webhookId}`, { status: 'active' }, 'PATCH');
  });

  test('names a receiver whose attempts fail while its deliveries wait for the next one', async () => {
    const { page, data } = svc;
    svc.failDeliveries(true);
    const { deliveries } = await svc.send<{ deliveries: { deliveryId: string }[] }>('/v1/deliveries');
    const path = `/v1/webhooks/${data.webhookId}`;
    const read = () => svc.send<{ failingSince?: string; pending: number }>(path);
    const needed = page.getByRole('region', { name: 'Needs you' });
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    // One that failed once is tried again by itself: it needs nobody.
    await svc.send(`${path}/deliveries/${deliveries[0]!.deliveryId}/redeliver`, {}, 'POST');
    await expect.poll(async () => (await read()).failingSince).toBeDefined();
    await svc.go('/overview');
    await page.getByText(/^(\d+ things? needs?|Nothing needs) you$/).waitFor();
    expect(await needed.getByText('for the next attempt').count()).toBe(0);
    expect(await moves.nth(4).getByText('a receiver is failing').count()).toBe(0);
    const trend = () =>
      svc.send<{ subscriptions: { attempts: number; delivered: number }[] }>('/v1/trends/deliveries');
    for (let i = 0; i < 5; i++)
      for (const { deliveryId } of deliveries)
        await svc.send(`/v1/webhooks/${data.webhookId}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    await expect
      .poll(async () => {
        const [went] = (await trend()).subscriptions;
        return went!.attempts - 2 * went!.delivered;
      })
      .toBeGreaterThan(0);
    await svc.go('/overview');
    await needed
      .getByText(
        /^\d+ % of the \d+ attempts at \S+ in the last 24 hours failed; \d+ deliver.* for the next attempt\./,
      )
      .waitFor();
    expect(await moves.nth(4).getByText('a receiver is failing').count()).toBe(0);
    // Once all have failed for an hour it is failing, whatever the last hour says.
    const failingSince = new Date(Date.now() - 61 * 60_000).toISOString();
    await page.route(/\/v1\/webhooks(\/[^/]+)?$/, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const json = body.webhooks
        ? { webhooks: body.webhooks.map((each: object) => ({ ...each, failingSince })) }
        : { ...body, failingSince };
      await route.fulfill({ response: answer, json });
    });
    await svc.go('/overview');
    const state = needed.getByText(
      /^\d+ % of the \d+ attempts at \S+ in the last 24 hours failed, all of them since [\w: ]+; \d+ deliver.* for the next attempt\./,
    );
    await state.waitFor();
    expect(await state.getByRole('time').getAttribute('datetime')).toBe(failingSince);
    await moves.nth(4).getByText('a receiver is failing').waitFor();
    await svc.checkAccessibility();
    await page.unrouteAll({ behavior: 'wait' });
    await needed
      .getByRole('listitem')
      .filter({ hasText: /attempts at \S+ in the last 24 hours failed/ })
      .getByRole('link', { name: 'Show' })
      .press('Enter');
    await page.waitForURL(`**/webhooks?webhookId=${data.webhookId}&range=day`);
    // Once one succeeded it answers again; once nothing waits it needs nobody.
    svc.failDeliveries(false);
    const again = async (ids: readonly { deliveryId: string }[]) => {
      for (const { deliveryId } of ids)
        await svc.send(`/v1/webhooks/${data.webhookId}/deliveries/${deliveryId}/redeliver`, {}, 'POST');
    };
    await again(deliveries.slice(0, 1));
    await svc.go('/overview');
    await needed.getByText(/in the last 24 hours failed; \d+ deliver.* for the next attempt/).waitFor();
    expect(await moves.nth(4).getByText('a receiver is failing').count()).toBe(0);
    await again(deliveries);
    await expect.poll(async () => (await read()).pending).toBe(0);
    await svc.go('/overview');
    await moves.first().waitFor();
    await needed.getByText('for the next attempt').waitFor({ state: 'detached' });
  });

  test('names a subscription of which many attempts failed in the last 24 hours, while some still do', async () => {
    const { page, data } = svc;
    let ended = 0;
    await page.route('**/v1/trends/deliveries', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const attemptsByStep = Array.from({ length: 24 }, () => 10);
      const deliveredByStep = attemptsByStep.map((n, hour) => (hour < 24 - ended ? 6 : n));
      const lastFailure = { before: new Date().toISOString(), delivered: 10 * ended };
      const went = { attempts: 240, delivered: 144, attemptsByStep, deliveredByStep, lastFailure };
      const subscriptions = [{ webhookId: data.webhookId, ...went }];
      await route.fulfill({ response: answer, json: { ...body, subscriptions } });
    });
    await svc.go('/overview');
    const line = page
      .getByRole('region', { name: 'Needs you' })
      .getByRole('listitem')
      .filter({ hasText: /^40 % of the 240 attempts at \S+ in the last 24 hours failed\./ });
    await line.getByRole('link', { name: 'Show' }).press('Enter');
    await page.waitForURL(`**/webhooks?webhookId=${data.webhookId}&range=day`);
    // Once all arrives again, it needs nobody.
    ended = 3;
    const read = page.waitForResponse('**/v1/trends/deliveries');
    await svc.go('/overview');
    await read;
    await page.getByText(/^(\d+ things? needs?|Nothing needs) you$/).waitFor();
    expect(await line.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('says of each change how large it is in percent, and names round times between those of the ends', async () => {
    const { page } = svc;
    await page.route('**/v1/overview', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const at = (n: number) => [...Array(23).fill(0), n];
      await route.fulfill({
        response: answer,
        json: {
          ...body,
          before: { events: 10, decisions: 10 },
          events: { ...body.events, byHour: at(2940) },
          decisions: { ...body.decisions, byHour: at(70) },
        },
      });
    });
    await svc.go('/overview');
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    await moves.nth(0).getByText('▲ over 1,000 %').waitFor();
    await moves.nth(1).getByText('▲ 600 %').waitFor();
    const axis = page.getByRole('region', { name: 'What was shown' }).locator('.histogram-axis .between');
    expect(await axis.innerText()).toMatch(/^(\w{3} )?(\d\d:00|\d+ \w{3})$/);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('says what its figures are of', async () => {
    const { page } = svc;
    await svc.go('/overview');
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    await moves
      .nth(1)
      .getByText(/ too few: \d+ answers? since the service started$/)
      .waitFor();
    await page.route('**/v1/overview', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      const latency = { answers: 20, p50Ms: 3, p95Ms: 12, p99Ms: 14 };
      await route.fulfill({ response: answer, json: { ...body, decisions: { ...body.decisions, latency } } });
    });
    await page.reload();
    await moves
      .nth(1)
      .getByText(/ 12 ms, P99 14 ms of the latest 20 answers since the service started$/)
      .waitFor();
    await page.unroute('**/v1/overview');
    await page.getByText(/^(\d+ things? needs?|Nothing needs) you$/).waitFor();
    // The cards have their own range, whatever the charts show.
    await page.getByRole('heading', { name: 'This hour and the 23 before', exact: true }).waitFor();
    const { from } = await svc.send<{ from: string }>('/v1/overview');
    const since = page.getByText(
      /^from [\w: ]+ until now; ▲ and ▼ compare with the same time a day earlier$/,
    );
    expect(await since.getByRole('time').getAttribute('datetime')).toBe(from);
    // The shares are of those that count as served, so they stand in the card of these.
    expect(await moves.nth(1).getByText('held out').count()).toBe(0);
    // A word of the field says what it means.
    await moves.nth(2).getByRole('button', { name: 'held out' }).press('Enter');
    await moves.nth(2).getByText('is kept out of learning').waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    await moves.nth(2).getByText('is kept out of learning').waitFor({ state: 'hidden' });
    expect(await moves.nth(4).getByRole('link').getAttribute('href')).toBe('/webhooks?range=day');
    const box = page.getByRole('region', { name: 'What was shown' });
    const title = await box.getByRole('heading').innerText();
    // Its share of all is that of Contents, that of the chart is what was neither tried nor held out.
    const [, contentId, share, choice = share] =
      /^(\S+) was ([\d.]+ %) of what was shown [^:]+:\d\d(?:: ([\d.]+ %) by choice, the rest tried to learn or held out)?$/.exec(
        title,
      )!;
    const legend = box.getByRole('listitem').filter({ hasText: contentId! });
    expect(await legend.innerText()).toMatch(new RegExp(`\\s${choice}$`));
    await svc.go('/contents');
    const row = page.getByRole('table', { name: 'Contents' }).getByRole('row', { name: contentId! });
    expect(await row.innerText()).toContain(`${share} of all`);
  });

  test('says that the last backup is old, that a provider fails, and that the model forgot what it had learned', async () => {
    const { page } = svc;
    const changed = async (path: string, change: (body: Record<string, unknown>) => object) =>
      page.route(path, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: change(await answer.json()) });
      });
    const resetAt = new Date(Date.now() - 3_600_000).toISOString();
    await changed('**/v1/model', (body) => ({ ...body, resetAt }));
    await changed('**/v1/overview', (body) => ({
      ...body,
      lastBackupAt: '2026-01-31T10:00:00.000Z',
      notifications: { queued: [0], held: [1], dispatched: [0], delivered: [2], failed: [6], cancelled: [0] },
      providers: [
        {
          channel: 'sms',
          lastSuccessAt: '2026-01-31T11:00:00.000Z',
          lastFailureAt: '2026-01-31T11:30:00.000Z',
          waiting: 2,
        },
      ],
    }));
    await svc.go('/overview');
    const needed = page.getByRole('region', { name: 'Needs you' });
    await needed.getByText(/The last backup was made (31 Jan|2026-01-31)/).waitFor();
    await needed
      .getByText(/The provider of sms fails: 2 notifications wait .* the last was taken at/)
      .waitFor();
    // Those that are held count too, as on the card.
    await needed.getByText(/^6 of the 9 notifications since [\w: ]+ failed/).waitFor();
    await page.getByText(/^9 of them since [\w: ]+$/).waitFor();
    const reset = needed.getByText(/The model forgot what it had learned at/);
    expect(await reset.getByRole('time').getAttribute('datetime')).toBe(resetAt);
    await svc.checkAccessibility();
    await page.goto(`${new URL(page.url()).origin}/service`);
    await page.getByText('Last backup', { exact: true }).waitFor();
    await page
      .getByText(/^Something is wrong: the provider of sms fails, the last backup is old; /)
      .waitFor();
    await page
      .locator('.badge.warn')
      .getByText(/^\d+ days ago$/)
      .waitFor();
    await page.getByRole('button', { name: 'Make a backup…' }).press('Enter');
    await page.getByText('Where its database is').waitFor();
    await page.keyboard.press('Escape');
    const providers = page.getByRole('table', { name: 'Providers' });
    await providers.getByText('fails').waitFor();
    await providers.locator('time[datetime="2026-01-31T11:30:00.000Z"]').waitFor();
    await svc.checkAccessibility();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('says what is not as planned', async () => {
    const { catalog } = await svc.send<{ catalog: object }>('/v1/catalog');
    const plan = [{ event: 'plan_checked', properties: { n: { type: 'number' } }, required: ['n'] }];
    const events = { unknownEvents: 'allow', plan };
    await svc.send('/v1/catalog', { catalog: { ...catalog, events } }, 'PUT');
    const event = { userId: 'u', event: 'plan_checked', timestamp: '2026-01-01T00:00:00Z' };
    await expect
      .poll(async () => {
        await svc.send('/v1/events', { events: [event] }, 'POST');
        return (await svc.send<{ counts: object[] }>('/v1/events/plan')).counts.length;
      })
      .toBe(1);
    await svc.send('/v1/catalog', { catalog }, 'PUT');
    await svc.go('/overview');
    const needed = svc.page.getByRole('region', { name: 'Needs you' });
    await needed.getByText(/Not as planned today, \d+ times?: plan_checked, n \(missing\)/).waitFor();
    await svc.checkAccessibility();
  });

  test('compares with a day earlier, and its charts begin with its figures', async () => {
    const { page } = svc;
    let from = '';
    await page.route('**/v1/overview', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      from = body.from;
      const events = { stored: 90, byHour: [...new Array(22).fill(0), 15, 40] };
      const decisions = { ...body.decisions, byHour: [...new Array(22).fill(0), 7, 3] };
      const before = { events: 100, decisions: 10 };
      await route.fulfill({ response: answer, json: { ...body, before, events, decisions } });
    });
    const trend = page.waitForRequest('**/v1/trends/decisions?*');
    await svc.go('/overview');
    expect(new URL((await trend).url()).searchParams.get('since')).toBe(from);
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    await moves.nth(0).getByText('▼ 45 % less than a day earlier').waitFor();
    await moves.nth(1).getByText('= as a day earlier').waitFor();
    expect(await moves.nth(2).getByText('a day earlier').count()).toBe(0);
    await svc.checkAccessibility();
    await page.unroute('**/v1/overview');
  });

  test('a chart has the same figures as a table', async () => {
    const { page } = svc;
    await svc.go('/overview');
    const box = page.getByRole('region', { name: 'What was shown' });
    await box.getByText('Figures as a table').press('Enter');
    const table = box.getByRole('table', { name: 'Share of what was shown, by content and time' });
    await table.waitFor();
    const rows = await table.getByRole('row').allInnerTexts();
    const { from } = await svc.send<{ from: string }>('/v1/overview');
    const { served } = await svc.send<{ served: number[] }>(`/v1/trends/decisions?since=${from}`);
    expect(rows).toHaveLength(served.length + 1);
    const shown = rows
      .at(-1)!
      .split(/\s+/)
      .slice(1)
      .map(Number)
      .filter((n) => n > 0);
    expect(shown.reduce((sum, n) => sum + n, 0)).toBe(served.at(-1));
    await svc.checkAccessibility();
  });

  test('shows the range of time that is chosen, and keeps it in the address and on the way to other views', async () => {
    const { page } = svc;
    await svc.go('/overview');
    const events = page.getByRole('region', { name: 'Events stored' });
    await events.getByText(/stored since .*\d\d:00, and no request with events was refused/).waitFor();
    await expect(svc.send('/v1/events', { events: [{ userId: 'u' }] })).rejects.toThrow();
    const refused = async () => (await svc.send<{ refused: number[] }>('/v1/trends/events')).refused.at(-1);
    await expect.poll(refused).toBe(1);
    await page.getByRole('radio', { name: 'Week' }).press('Space');
    await page.waitForURL('**/overview?range=week');
    await events.getByText(/in the last 7 days, and 1 request with events was refused/).waitFor();
    await events.getByRole('img', { name: /refused each/ }).waitFor();
    await page.getByRole('region', { name: 'Gain over time' }).waitFor();
    // The last hour reaches back to the beginning of one in all charts, which say so, and none reaches into the future.
    const trend = page.waitForResponse(/\/v1\/trends\/decisions\?/);
    const stored = page.waitForResponse(/\/v1\/trends\/events\?/);
    await page.getByRole('radio', { name: 'Last hour' }).press('Space');
    await events.getByText('a point each 2 minutes; the last one is not over yet').waitFor();
    expect((await (await stored).json()).stepMs).toBe(120_000);
    const { from } = (await (await trend).json()) as { from: string };
    const first = DATE + new Date(from).toLocaleTimeString('en-GB').slice(0, 5);
    await events
      .getByText(
        new RegExp(`^\\d+ events were stored since ${first}, and 1 request with events was refused$`),
      )
      .waitFor();
    const shown = page.getByRole('region', { name: 'What was shown' });
    await shown
      .getByRole('heading', {
        name: new RegExp(`of what was shown since ${first} \\(counted by the hour\\)`),
      })
      .waitFor();
    // Two bars would say nothing of an hour that is counted by the hour.
    await shown.getByText(/^counted by the hour, share of the \d+ decisions that/).waitFor();
    expect(await shown.getByRole('img').count()).toBe(0);
    expect(await shown.locator('dd').allInnerTexts()).toContainEqual(expect.stringMatching(/^[\d.]+ %$/));
    await page.getByRole('radio', { name: 'Day' }).press('Space');
    await shown.getByRole('img').waitFor();
    // With its day, soon after midnight.
    const last = (await shown.locator('.histogram-axis span').allInnerTexts()).at(-1)!.slice(-5);
    const now = new Date(Date.now() - 60_000).toLocaleTimeString('en-GB').slice(0, 5);
    expect([now, new Date().toLocaleTimeString('en-GB').slice(0, 5)]).toContain(last);
    await page.getByRole('radio', { name: 'Week' }).press('Space');
    await page.getByRole('link', { name: 'Contents' }).press('Enter');
    await page.waitForURL('**/contents?range=week');
    await page.getByRole('region', { name: 'Rates over time' }).getByText('in the last 7 days').waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL('**/decisions?range=week');
    await page.getByRole('radio', { name: 'Custom' }).press('Space');
    await page.getByLabel('Until').fill('2020-01-01T00:00');
    await page.getByLabel('Until').press('Tab');
    await page.getByText('No decisions match.').waitFor();
    expect(page.url()).toContain('until=');
  });

  test('says that nothing happened in a range, in place of an empty chart, and leads on by a click on a card', async () => {
    const { page } = svc;
    await svc.go('/overview?until=2020-01-02T00:00:00.000Z');
    await page
      .getByRole('heading', { name: /^No event was stored from .*1 Jan \d\d:00 to .*2 Jan \d\d:00/ })
      .waitFor();
    await page
      .getByRole('heading', { name: /^Nothing was shown from .*1 Jan \d\d:00 to .*2 Jan \d\d:00/ })
      .waitFor();
    const moves = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem');
    await moves.nth(1).click({ position: { x: 30, y: 30 } });
    await page.waitForURL('**/decisions');
  });

  test('without a service behind it, it says so and comes back by itself', async () => {
    const { page } = svc;
    await svc.go('/overview');
    const moves = page.getByRole('list', { name: 'The five moves' });
    await moves.waitFor();
    await svc.restart(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('alert').waitFor();
      // What was known stays.
      expect(await moves.count()).toBe(1);
    });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    svc.forgetFailedRequests();
  });
});
