import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
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
    await expect.poll(() => states.first().innerText()).toContain('delivered');
    expect(await states.last().innerText()).toContain('queued');
    await svc.checkAccessibility();
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
    await svc.tabTo('All');
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/notifications?status=failed');
    // All of a reason are one line, which lists them.
    const reason = page
      .getByRole('list', { name: 'Why they failed' })
      .getByRole('button', { name: /^\d+ failed The user has no address for this channel\.$/ });
    await reason.press('Enter');
    await page.waitForURL('**/notifications?failure=no_address*');
    expect(await reason.getAttribute('aria-pressed')).toBe('true');
    await svc.checkAccessibility();
    await page.getByRole('link', { name: /^\d+ failed$/ }).press('Enter');
    await page.waitForURL('**/notifications?status=failed&range=day');
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
    await page.getByRole('article').getByText('The user has no address for this channel.').waitFor();
    await svc.tabTo('Copy: this notification');
    await page.keyboard.press('Enter');
    await expect.poll(() => svc.copied()).toMatch(/^svc notifications get ntf_/);
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
    await page.clock.install();
    await svc.go(`/notifications/${data.notificationId}`);
    await page.getByRole('list', { name: 'States' }).waitFor();
    const before = reads;
    await page.clock.runFor(60_000);
    const listed = page.waitForResponse(/notifications(\?|$)/);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await listed;
    expect(reads).toBe(before);
  });
});
