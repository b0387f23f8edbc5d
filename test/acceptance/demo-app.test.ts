import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hasChromium, newContext } from '../support/console/chromium.ts';
import { builtSvc } from '../support/process/built-svc.ts';
import { startProcess } from '../support/process/run-process.ts';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/** The example is short enough to be read. */
const MOST_LINES = 150;
const WAIT = { timeout: 100_000, interval: 100 };

it.skipIf(!hasChromium)(
  'svc demo --app shows the loop as it happens, and learns',
  async () => {
    const shop = startProcess(await builtSvc(), ['demo', '--app', '--json'], { home: tempDir() });
    onTestFinished(() => void shop.kill('SIGKILL'));
    let stdout = '';
    shop.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    await expect.poll(() => stdout, WAIT).toContain('\n');
    const { url } = JSON.parse(stdout) as { url: string };
    const context = await newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(url);
    await page.getByRole('button', { name: 'lamp' }).click();
    await page.locator('svc-message [part=action]').click();
    const steps = async () =>
      (await page.locator('#loop li').allTextContents()).map((text) => text.split(':')[0]);
    await expect.poll(steps, WAIT).toEqual(['event', 'decision', 'message', 'tap', 'webhook']);
    const [event, decision, , , webhook] = await page.locator('#loop li').allTextContents();
    expect(event).toContain('product_viewed {"product":"lamp"}, origin client');
    expect(decision).toMatch(/(kettle|lamp|mug) \(.* \d+ %.*\)\. .+ \(\d+ ms\)$/);
    expect(webhook).toMatch(/^webhook: campaign\.clicked of \w+, signature verified \(\d+ ms\)$/);
    for (let hundreds = 0; hundreds < 2; hundreds++) {
      const played = page.waitForResponse((answer) => answer.url().endsWith('/visits'));
      await page.getByRole('button', { name: 'A hundred visits' }).click();
      await played;
    }
    // Visitors tap the lamp most, and it is chosen most in the end.
    await expect.poll(() => page.evaluate('visits.length'), WAIT).toBe(200);
    const lamp = page.locator('#choices tr', { hasText: 'lamp' }).locator('td').nth(2);
    expect(Number(await lamp.textContent())).toBeGreaterThan(12);
    // Another visitor starts the loop again, and what was learned stays on the page.
    const learned = await page.locator('#choices').innerText();
    const another = page.waitForResponse((answer) => answer.url().endsWith('/visitor'));
    await page.getByRole('button', { name: 'Another visitor' }).click();
    await another;
    await expect.poll(() => page.locator('#choices').innerText(), WAIT).toBe(learned);
    expect(await page.locator('#loop li').count()).toBe(0);
    expect(errors).toEqual([]);
    const ended = new Promise((resolve) => shop.once('exit', resolve));
    shop.kill('SIGINT');
    expect(await ended).toBe(0);
  },
  180_000,
);

it('the example has at most 150 lines', () => {
  const folder = join(ROOT, 'examples', 'app');
  const lines = readdirSync(folder).map(
    (file) => readFileSync(join(folder, file), 'utf8').split('\n').length - 1,
  );
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES);
});
