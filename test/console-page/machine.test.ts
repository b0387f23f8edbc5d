import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_CATALOG } from '../../src/service/catalog/default.ts';
import { builtRoot } from '../support/console/built-root.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type WatchedPage, watchedPage } from '../support/console/watched-page.ts';
import { type RunningSvc, runSvc, startSvc } from '../support/process/run-svc.ts';

const FAULTS = {
  seed: 1,
  requests: [{ endpoint: 'listWebhooks', fault: 'fail', status: 503 }],
  deliveries: [{ fault: 'double', every: 3 }],
};

describe.runIf(hasChromium)('the views of this machine', () => {
  let home: string;
  let serve: RunningSvc;
  let shown: WatchedPage;
  let env: Record<string, string>;
  let read: () => Promise<number>;

  beforeAll(async () => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-console-')));
    const faults = join(home, 'faults.json');
    writeFileSync(faults, JSON.stringify(FAULTS));
    const catalog = join(home, 'catalog.json');
    writeFileSync(catalog, JSON.stringify(DEFAULT_CATALOG));
    const argv = ['--port', '0', '--console', '--limit', 'reads=4', '--faults', faults, '--catalog', catalog];
    serve = startSvc(['serve', '--json', ...argv], { home, root: await builtRoot() });
    const [line] = await serve.waitFor(/\{"ready":true.*\}/);
    const { url, workspace, apiKey, consoleUrl } = JSON.parse(line);
    env = { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey };
    const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
    read = async () => (await fetch(`${url}/v1/decisions`, { headers })).status;
    shown = await watchedPage(consoleUrl, [apiKey]);
  });
  afterAll(async () => {
    await shown.close();
    serve.interrupt();
    await serve.done;
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(() => shown.check());

  test('shows the use of each limit, and what its filter in the URL chooses', async () => {
    const { page } = shown;
    for (let i = 0; i < 4; i++) expect(await read()).toBe(200);
    await shown.go('/limits');
    const reads = page.getByRole('region', { name: 'reads' });
    await reads.getByText('4 of 4').waitFor();
    await reads.getByText('used up').waitFor();
    await reads.getByRole('heading', { name: 'reads: 100 % used' }).waitFor();
    await reads.getByText('When it is reached, lists are refused').waitFor();
    await reads.getByText('svc serve --limit reads=60').waitFor();
    await page.getByText(/^reads is used most, to 100 %, in the last \d+ (s|min)\./).waitFor();
    await reads.getByText(/The next slot becomes free/).waitFor();
    expect(await reads.getByRole('img').getAttribute('aria-label')).toMatch(
      /^reads: requests in each 1 s of the window, at most [1-4]$/,
    );
    expect(await page.getByRole('region').count()).toBe(5);
    await shown.checkAccessibility();
    await shown.tabTo('All');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/limits?group=ingest');
    await page.getByRole('region', { name: 'reads' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('region').count()).toBe(1);
    await shown.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await shown.copied()).toMatch(/^svc limits/);
  });

  test('shows the faults with their hits, and switches one off', async () => {
    const { page } = shown;
    await shown.go('/faults?place=requests');
    const row = page.getByRole('row', { name: /fail/ });
    await row.waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await row.innerText()).toMatch(
      /fail answered with an error, not executed\s+listWebhooks\s+status 503\s+0\s+0\s+on/,
    );
    expect((await runSvc(['webhooks', 'list', '--max-retries', '0'], { home, env })).code).toBe(6);
    await expect.poll(() => row.innerText()).toMatch(/1\s+1\s+on/);
    await shown.checkAccessibility();
    await page.getByText('Failures on purpose: 2 of 2 rules on, 1 fault injected.').waitFor();
    await shown.tabTo('Switch off: fail (requests 1)');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Switch on: fail (requests 1)' }).waitFor();
    await shown.go('/faults?place=deliveries');
    await page.getByRole('row', { name: /double.*once in 3/ }).waitFor();
  });

  test('adds, changes and removes a fault by keyboard alone, and adds one of the examples', async () => {
    const { page } = shown;
    await shown.go('/faults');
    await shown.tabTo('New rule…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.waitFor();
    await shown.checkAccessibility();
    await dialog.getByLabel('Fault').selectOption('slow-answer');
    await dialog.getByLabel('Of which operation').selectOption('getModel');
    await dialog.getByLabel('How late, in ms').fill('700000');
    await shown.tabTo('Add the rule');
    await page.keyboard.press('Enter');
    // The browser says that it is too much.
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('How late, in ms').fill('30');
    await shown.tabTo('Add the rule');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    const row = page.getByRole('row', { name: /getModel/ });
    expect(await row.innerText()).toMatch(
      /slow-answer executed, answered late\s+getModel\s+30 ms late\s+0\s+0\s+on/,
    );
    await shown.tabTo('Change: slow-answer (requests 2)');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Once in how many').fill('4');
    await page.keyboard.press('Enter');
    await row.getByText('once in 4, 30 ms late').waitFor();
    await shown.tabTo('Change: slow-answer (requests 2)');
    await page.keyboard.press('Enter');
    await shown.tabTo('Remove the rule');
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Add: Decisions are answered two seconds late/ }).press('Enter');
    await page.getByRole('row', { name: /slow-answer .*decide/ }).waitFor();
    await shown.checkAccessibility();
    await shown.tabTo('Change: slow-answer (requests 3)');
    await page.keyboard.press('Enter');
    await shown.tabTo('Remove the rule');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /slow-answer/ }).waitFor({ state: 'detached' });
  });

  test('shows the imports of this machine, and forgets one after a confirmation', async () => {
    const { page } = shown;
    await shown.go('/imports');
    await page.getByText('No imports yet.').waitFor();
    const file = join(home, 'events.ndjson');
    writeFileSync(file, '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n');
    mkdirSync(join(home, 'data'), { recursive: true });
    expect((await runSvc(['events', 'import', file], { home, env })).code).toBe(0);
    const row = page.getByRole('row', { name: /events\.ndjson/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/finished.*\d (ms|s)\b/s);
    const rejected = join(home, 'rejected.ndjson');
    const good = '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n';
    writeFileSync(rejected, good.repeat(20) + good.replace('"e"', '""').repeat(3));
    expect((await runSvc(['events', 'import', rejected], { home, env })).code).toBe(7);
    await page
      .getByRole('row', { name: /rejected\.ndjson/ })
      .getByRole('button', { name: '3 why?' })
      .click();
    const reasons = page.getByRole('list', { name: 'Reasons' });
    await reasons.getByText('3', { exact: true }).waitFor();
    expect(await reasons.innerText()).toMatch(/event\s+must.*rejected\.ndjson, lines 21 to 23/s);
    await shown.checkAccessibility();
    await page.getByRole('heading', { name: '3 rejected, most often:' }).waitFor();
    await page.getByText(`svc events import ${rejected}.rejects.ndjson`).waitFor();
    await page.keyboard.press('Escape');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await layoutProblems(page)).toEqual([]);
    }
    await page.getByText('2 finished: 21 records stored from this machine, 3 rejected').waitFor();
    await shown.go('/imports?range=hour');
    await page.getByRole('row', { name: /rejected\.ndjson/ }).waitFor();
    await shown.go('/imports?until=2026-01-01T00:00:00.000Z');
    await page.getByText('No imports match.').waitFor();
    await shown.go('/imports?state=unfinished');
    await page.getByText('No imports match.').waitFor();
    await shown.go('/imports?input=events');
    await shown.tabTo('events.ndjson');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Detail' }).getByText(file).waitFor();
    await shown.checkAccessibility();
    await shown.tabTo('Forget the import');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forget the import?' }).waitFor();
    await shown.tabTo('Forget it');
    await page.keyboard.press('Enter');
    await page.getByText('No imports match.').waitFor();
    expect(JSON.parse((await runSvc(['imports', 'list', '--json'], { home })).stdout)).toMatchObject({
      imports: [{ inputs: [rejected], rejectsFile: `${rejected}.rejects.ndjson` }],
    });
  });

  test('shows the catalog of a file, which nobody can change here', async () => {
    const { page } = shown;
    await shown.go('/catalog');
    await page.getByRole('table', { name: 'Contents' }).waitFor();
    await page.getByText('read-only', { exact: true }).waitFor();
    await page.getByText(/catalog\.json/).waitFor();
    expect(await page.getByLabel('Name of a new content').count()).toBe(0);
    await shown.checkAccessibility();
    const { contentId, title } = DEFAULT_CATALOG.contents[0]!;
    await shown.tabTo(contentId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/catalog/contents/${contentId}`);
    const field = page.getByLabel(/^Title/);
    expect(await field.inputValue()).toBe(title);
    expect(await field.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Store the draft' }).count()).toBe(0);
  });

  test('finds a user by userId, which is in no address of the page', async () => {
    const { page } = shown;
    await shown.go('/users');
    await shown.tabTo('userId or hashId of a user');
    await page.keyboard.type('u-of-no-import');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/users\/[0-9a-f]{64}$/);
    await page.getByText('The service stores no fields of this user').waitFor();
    shown.forgetFailedRequests();
  });

  test('leads from a live event to its user', async () => {
    const { page } = shown;
    const argv = ['events', 'send', '--user-id', 'u-of-an-event', '--event', 'opened'];
    expect((await runSvc(argv, { home, env })).code).toBe(0);
    await shown.go('/live');
    await page.getByRole('row', { name: /u-of-an-event/ }).click();
    await page
      .getByRole('complementary', { name: 'Detail' })
      .getByRole('link', { name: 'u-of-an-event' })
      .click();
    await page.waitForURL(/\/users\/[0-9a-f]{64}$/);
    await page.getByText('Its events are not found by its hashId').waitFor();
    shown.forgetFailedRequests();
  });

  test('leads to the first steps while the workspace is empty, and ticks them off', async () => {
    const { page } = shown;
    await shown.go('/overview');
    const steps = page.getByRole('region', { name: /^This workspace is empty|^First steps/ });
    await steps.waitFor();
    await steps.getByText('svc decide --user-id u_1', { exact: false }).waitFor();
    await shown.checkAccessibility();
    expect((await runSvc(['users', 'import', '-'], { home, env, stdin: '{"userId":"u_1"}\n' })).code).toBe(0);
    await page.getByRole('heading', { name: 'Load users (done)' }).waitFor();
  });

  test('shows how the service is', async () => {
    const { page } = shown;
    await shown.go('/service');
    await page.getByText(/^The service runs: 1 process serves, no work is due; /).waitFor();
    const due = page.getByRole('region', { name: 'Due work' });
    await due.getByRole('row', { name: /deliveries/ }).waitFor();
    expect(await due.getByRole('row', { name: /notifications/ }).innerText()).toMatch(/\b0\b/);
    await due.getByRole('columnheader', { name: 'Due now' }).waitFor();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('row', { name: /^ingestEvents POST/ }).waitFor();
    await page
      .getByRole('region', { name: 'Faults are on' })
      .getByText(/delivered twice \(once in 3\)/)
      .waitFor();
    expect(await page.getByText('Version', { exact: true }).count()).toBe(2);
    expect(await page.getByText('Version of svc').count()).toBe(0);
    const data = page.getByRole('region', { name: 'Data' });
    expect(await data.getByRole('row', { name: /^users/ }).innerText()).toMatch(
      /^users\s+1\s+[\d.]+ ?k?B\s+[\d.]+ %$/,
    );
    await data.getByRole('heading', { name: /^Most room is taken by .*: .*B, [\d.]+ % of all$/ }).waitFor();
    await page.getByText(/^read at [\d:]+, again every 5 s$/).waitFor();
    const own = page.getByRole('row', { name: new RegExp(`this one ${process.pid}`) });
    expect(await own.innerText()).toMatch(/there/);
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await layoutProblems(page)).toEqual([]);
    await shown.checkAccessibility();
  });
});
