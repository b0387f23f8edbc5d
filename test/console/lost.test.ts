import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../support/console/chromium.ts';
import { type RunningConsole, startConsole } from '../support/console/running-console.ts';

describe.runIf(hasChromium)('a page that loses what is behind it', () => {
  let svc: RunningConsole;
  beforeAll(async () => {
    svc = await startConsole();
  });
  afterAll(() => svc.stop());

  test('says in the sidebar that the service or the console does not answer', async () => {
    const { page } = svc;
    const status = page.getByRole('banner').getByRole('status');
    const says = (text: string) => status.getByText(text).waitFor();
    await svc.go('/live');
    await says('connected');
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
    await svc.restart(() => says('the service does not answer'));
    // The stream is taken up again without anybody's help.
    await says('connected');
    svc.forgetFailedRequests();
    await svc.check();
    await svc.stopConsole();
    await says('the console does not answer');
    await svc.checkAccessibility();
    // What was shown stays.
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Live events');
    svc.forgetFailedRequests();
    await svc.check();
  });
});
