import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('the notifications view', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());
  afterEach(() => svc.check());

  test('shows the states of a notification, by keyboard alone', async () => {
    const { page, data } = svc;
    await svc.go('/notifications');
    await svc.tabTo(/^order_update/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/notifications/${data.notificationId}`);
    const states = page.getByRole('list', { name: 'States' }).getByRole('listitem');
    // The record is followed while the notification is on its way.
    // In a test workspace, nothing is said to be delivered.
    await expect.poll(() => states.first().innerText()).toContain('written to the outbox');
    expect(await states.first().innerText()).toContain('this is a test workspace');
    await page.getByRole('radio', { name: /^written to the outbox/ }).waitFor();
    const list = page.getByRole('table', { name: 'Notifications' });
    const cell = (await list.getByRole('row').nth(1).getByRole('cell').last().boundingBox())!;
    const whole = (await page.locator('.list-pane .table').boundingBox())!;
    expect(cell.x + cell.width).toBeLessThanOrEqual(whole.x + whole.width + 1);
    expect(await states.last().innerText()).toContain('queued');
    await svc.checkAccessibility();
  });

  test('finds a user by the beginning of the hashId that the list shows', async () => {
    const { page, data } = svc;
    // None of the latest users has it.
    await page.route('**/api/v1/users', (route) => route.fulfill({ json: { users: [] } }));
    await svc.go('/notifications');
    const list = page.getByRole('table', { name: 'Notifications' });
    const short = data.hashId.slice(0, 8);
    await list.getByText(`${short}…`).first().waitFor();
    const user = page.getByRole('textbox', { name: 'User' });
    await user.fill(short);
    await user.press('Enter');
    await page.waitForURL(`**/notifications?hashId=${data.hashId}`);
    await page.unroute('**/api/v1/users');
  });

  test('says why a notification failed, and filters by state', async () => {
    const { page, data } = svc;
    const { notificationId } = await svc.send<{ notificationId: string }>('/v1/inform/trigger', {
      hashId: data.hashIds[2],
      templateId: 'welcome',
      channel: 'email',
    });
    await expect
      .poll(
        async () => (await svc.send<{ status: string }>(`/v1/inform/notifications/${notificationId}`)).status,
      )
      .toBe('failed');
    await svc.go('/notifications');
    const { counts } = await svc.send<{ counts: Record<string, number> }>('/v1/inform/notifications');
    const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
    await page.getByRole('heading', { name: `${counts.failed} of ${all} notifications failed` }).waitFor();
    const became = page.getByRole('list', { name: 'What became of them' });
    const outbox = became.getByRole('listitem').filter({
      hasText: 'Nobody got them: a test workspace sends nothing.',
    });
    await outbox.getByRole('button', { name: `${counts.delivered} written to the outbox` }).press('Enter');
    await page.waitForURL('**/notifications?status=delivered');
    await outbox.getByRole('button').press('Enter');
    await page.waitForURL('**/notifications');
    await svc.tabTo(`All ${all}`);
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/notifications?status=failed');
    // All of a reason are one line, which lists them.
    const reason = became.getByRole('button', {
      name: /^\d+ failed The user has no address for this channel\.$/,
    });
    await reason.press('Enter');
    await page.waitForURL('**/notifications?failure=no_address*');
    expect(await reason.getAttribute('aria-pressed')).toBe('true');
    await svc.checkAccessibility();
    await page.getByText('Store an address of the user, or send it').waitFor();
    await svc.tabTo('Store addresses…');
    await page.keyboard.press('Enter');
    await page.getByText('svc users import users.csv').waitFor();
    await svc.checkAccessibility();
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'Last hour' }).press('Space');
    await page
      .getByRole('heading', { name: `${counts.failed} of ${all} notifications failed in the last hour` })
      .waitFor();
    await page.getByRole('radio', { name: `failed ${counts.failed}` }).press('Space');
    await page.waitForURL('**/notifications?*status=failed*');
    const lines = page.getByRole('table', { name: 'Notifications' }).locator('tbody tr');
    await expect
      .poll(async () => (await lines.allInnerTexts()).every((text) => text.includes('failed')))
      .toBe(true);
    expect(await lines.first().innerText()).toContain('The user has no address for this channel.');
    const user = lines.first().getByRole('link').last();
    expect(await user.getAttribute('href')).toMatch(/^\/users\/[0-9a-f]{64}$/);
    await svc.tabTo(/^welcome/);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: /^Notification ntf_/ }).waitFor();
    // Beside it, the states fill two rows.
    await page.setViewportSize({ width: 1440, height: 900 });
    const states = await page.getByRole('group', { name: 'State' }).locator('label').all();
    const boxes = await Promise.all(states.map(async (state) => (await state.boundingBox())!));
    expect(new Set(boxes.map(({ y }) => y)).size).toBe(2);
    const ends = boxes
      .filter(({ y }, i) => boxes[i + 1]?.y !== y)
      .map(({ x, width }) => Math.round(x + width));
    expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThanOrEqual(1);
    await page.setViewportSize({ width: 1280, height: 800 });
    const detail = page.getByRole('article');
    await detail.getByText('The user has no address for this channel.').waitFor();
    await detail.getByText('Store an address of the user').waitFor();
    await detail
      .getByText(/^svc notifications trigger --hash-id=[0-9a-f]{64} --template=welcome --channel=/)
      .waitFor();
    await svc.tabTo('Copy: this notification');
    await page.keyboard.press('Enter');
    await expect.poll(() => svc.copied()).toMatch(/^svc notifications get ntf_/);
  });

  test('says what waits until when, and reads it again by itself', async () => {
    const { page, data } = svc;
    const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const trigger = (minutes: number) =>
      svc.send('/v1/inform/trigger', {
        hashId: data.hashIds[0],
        templateId: 'welcome',
        channel: 'email',
        sendAt: later(minutes),
      });
    const held = async () =>
      (await svc.send<{ counts: { held: number } }>('/v1/inform/notifications')).counts.held;
    await trigger(10);
    await expect.poll(held).toBe(1);
    await page.clock.install();
    await svc.go('/notifications');
    const line = page
      .getByRole('list', { name: 'What became of them' })
      .getByRole('listitem')
      .filter({ hasText: 'held' });
    await expect.poll(() => line.innerText()).toMatch(/^1 held\s+It is to be sent later\.\s+until [\d:]+$/);
    await page.getByRole('heading', { name: /notifications failed, 1 waits until later$/ }).waitFor();
    await page.getByText(/again every \d+ s/).waitFor();
    await trigger(20);
    await expect.poll(held).toBe(2);
    await page.clock.fastForward(61_000);
    await expect
      .poll(() => line.innerText())
      .toMatch(/^2 held\s+It is to be sent later\.\s+the first until [\d:]+, the last until [\d:]+$/);
    await svc.checkAccessibility();
  });

  test('cancels a notification for later after a confirmation, by keyboard alone', async () => {
    const { page, data } = svc;
    const { notificationId: id } = await svc.send<{ notificationId: string }>('/v1/inform/trigger', {
      hashId: data.hashIds[0],
      templateId: 'welcome',
      channel: 'email',
      sendAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await svc.go(`/notifications/${id}`);
    await page.getByRole('article').getByText('held back: it is to be sent later').first().waitFor();
    await svc.tabTo('Cancel the notification…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel this notification?' });
    await dialog.waitFor();
    await svc.tabTo('Cancel the notification');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    const states = page.getByRole('list', { name: 'States' }).getByRole('listitem');
    await expect.poll(() => states.first().innerText()).toContain('cancelled');
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await svc.checkAccessibility();
  });

  test('reads a notification again only until it has reached its last state', async () => {
    const { page, data } = svc;
    await expect
      .poll(
        async () =>
          (await svc.send<{ status: string }>(`/v1/inform/notifications/${data.notificationId}`)).status,
      )
      .toBe('delivered');
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/api/v1/inform/notifications/${data.notificationId}`)) reads++;
    });
    // The times of another day take more room.
    await page.clock.install({ time: Date.now() + 86_400_000 });
    await svc.go(`/notifications/${data.notificationId}`);
    await page.getByRole('list', { name: 'States' }).waitFor();
    const before = reads;
    await page.clock.runFor(60_000);
    const listed = page.waitForResponse(/notifications(\?|$)/);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await listed;
    expect(reads).toBe(before);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await layoutProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await svc.go('/notifications');
    await page.getByRole('table', { name: 'Notifications' }).waitFor();
    expect(await layoutProblems(page)).toEqual([]);
  });
});
