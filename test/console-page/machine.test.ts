import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_CATALOG } from '../../src/service/catalog/default.ts';
import { builtRoot } from '../support/console/built-root.ts';
import { hasChromium } from '../support/console/chromium.ts';
import { layoutProblems } from '../support/console/layout.ts';
import { type WatchedPage, watchedPage } from '../support/console/watched-page.ts';
import { startReceiver } from '../support/peers/receiver.ts';
import { type RunningSvc, runSvc, startSvc } from '../support/process/run-svc.ts';

const FAULTS = {
  seed: 1,
  requests: [{ endpoint: 'listWebhooks', fault: 'fail', status: 503 }],
  deliveries: [{ fault: 'double', every: 3 }],
};

const DECIDE = JSON.stringify({ hashId: 'a'.repeat(64), context: { channel: 'in-app', surface: 'home' } });

/** By how much the text of the popover that is open is wider than its box. */
const BEYOND = `(() => {
  const open = document.querySelector(':popover-open');
  const range = document.createRange();
  range.selectNodeContents(open.querySelector('p'));
  return Math.max(0, range.getBoundingClientRect().right - open.getBoundingClientRect().right + 12);
})()`;

/** Evaluates to the width of the placeholder of a field, in px. */
const textWidth = (field: string) => `(() => {
  const drawing = document.createElement('canvas').getContext('2d');
  drawing.font = getComputedStyle(${field}).font;
  return drawing.measureText(${field}.placeholder).width;
})()`;

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

  test('shows the use of each limit, and more of the one that is chosen', async () => {
    const { page } = shown;
    for (let i = 0; i < 4; i++) expect(await read()).toBe(200);
    await shown.go('/limits');
    // One line a limit, that which is used most first.
    const list = page.getByRole('table', { name: 'Limits' });
    const first = list.getByRole('row').nth(1);
    await expect
      .poll(() => first.innerText())
      .toMatch(/^reads\s.*4 of 4\s+used up\s+free again at [\d:]{8}\s+4 100 % of the limit\s+0\s/s);
    expect(await list.getByRole('row').count()).toBe(1 + 5);
    await page
      .getByRole('heading', { name: 'Most used in the last minute: reads, 100 % of its limit' })
      .waitFor();
    await shown.tabTo('reads');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/limits?group=reads');
    const reads = page.getByRole('region', { name: 'reads' });
    await reads.getByText('4 of 4').waitFor();
    await reads.getByRole('heading', { name: 'reads: 100 % used' }).waitFor();
    await reads.getByText('When it is reached, lists are refused').waitFor();
    await page.getByText(/^reads is at its limit; nobody was turned away since [\d:]+$/).waitFor();
    expect(await read()).toBe(429);
    await page.getByText(/^reads is at its limit; 1 request was turned away since [\d:]+$/).waitFor();
    await expect.poll(() => first.innerText()).toMatch(/\s5 125 % of the limit\s+1\s/);
    await list.getByRole('columnheader', { name: 'Busiest minute with what was refused' }).waitFor();
    await page.getByRole('heading', { name: /^Key .* was turned away 1 time, first at [\d:]+$/ }).waitFor();
    const turned = page.getByRole('table', { name: 'Turned away' }).getByRole('row').nth(1);
    expect(await turned.innerText()).toMatch(/GET \/v1\/decisions\s+reads\s+1\s/);
    // The others need nothing.
    expect(await list.getByRole('button', { name: 'Raise the limit…' }).count()).toBe(1);
    for (const at of [first, reads]) {
      await at.getByRole('button', { name: 'Raise the limit…' }).press('Enter');
      await at.getByText('svc serve --limit reads=8').waitFor();
      await at.getByText('8 is twice the present limit').waitFor();
      expect(await page.evaluate(BEYOND)).toBe(0);
      await shown.checkAccessibility();
      await page.keyboard.press('Escape');
    }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await layoutProblems(page), `at ${width}`).toEqual([]);
      // Bars of one column are of one length, whatever stands beside them.
      const tracks = await list.locator('.gauge .track').all();
      const widths = await Promise.all(tracks.map(async (one) => (await one.boundingBox())!.width));
      expect(new Set(widths).size, `${widths} at ${width}`).toBe(1);
      expect(widths.length).toBe(5);
    }
    await reads.getByText(/The next slot becomes free/).waitFor();
    expect(await reads.getByRole('img').getAttribute('aria-label')).toMatch(
      /^reads: requests in each 1 s of the window, at most [1-4]$/,
    );
    await shown.checkAccessibility();
    await list.getByRole('link', { name: 'reads' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/limits\?group=(?!reads)/);
    await reads.waitFor({ state: 'detached' });
    await shown.tabTo('Copy as svc command');
    await page.keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    expect(await shown.copied()).toMatch(/^svc limits/);
  });

  test('shows the faults with their hits, and switches one off', async () => {
    const { page } = shown;
    await shown.go('/faults?place=requests');
    const rules = page.getByRole('table', { name: 'Rules' });
    const row = rules.getByRole('row', { name: /fail/ });
    await row.waitFor();
    expect(await rules.getByRole('row').count()).toBe(2);
    expect(await row.innerText()).toMatch(
      /fail\s+answered with an error, not executed\s+listWebhooks\s+status 503\s+not since the service started\s+0\s+0\s+on/,
    );
    expect((await runSvc(['webhooks', 'list', '--max-retries', '0'], { home, env })).code).toBe(6);
    await expect.poll(() => row.innerText()).toMatch(/1\s+1\s+on/);
    await shown.checkAccessibility();
    await page.getByText('Failures on purpose: 2 of 2 rules on, 1 fault injected.').waitFor();
    const latest = page.getByRole('region', { name: 'Latest injections' });
    await latest
      .getByRole('heading', { name: /^The last fault was injected (just now|1 minute ago)$/ })
      .waitFor();
    const [, injected] = await latest.getByRole('row').allInnerTexts();
    expect(injected).toMatch(
      /^GET \/v1\/webhooks\s+answered with an error, not executed\s+fail\s+1\s+[\d:.]+$/,
    );
    // No more than 50 of a fault are kept.
    await page.route('**/console/faults', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      await route.fulfill({
        response: answer,
        json: { ...body, latest: Array.from({ length: 50 }, () => body.latest[0]) },
      });
    });
    await latest.getByRole('cell', { name: '50 or more' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await layoutProblems(page)).toEqual([]);
    const bounds = (await page.getByRole('switch', { name: 'fail (requests 1)' }).boundingBox())!;
    expect(bounds.x + bounds.width).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 900 });
    await shown.tabTo('fail (requests 1)');
    const toggle = page.getByRole('switch', { name: 'fail (requests 1)' });
    expect(await toggle.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('Space');
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
    await shown.go('/users');
    await page.getByText('1 fault is on: the service misbehaves on purpose.').waitFor();
    await shown.checkAccessibility();
    await page.getByRole('main').getByRole('link', { name: 'Faults' }).press('Enter');
    await page.waitForURL('**/faults');
    // The view says so of each.
    await page.getByText(/misbehaves on purpose/).waitFor({ state: 'detached' });
    await page.route('**/console/faults', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), rules: [] } });
    });
    await shown.go('/faults');
    await page.getByText('No rules.', { exact: true }).waitFor();
    // What was injected is not forgotten with its rule.
    await page.getByText('Failures on purpose: 0 of 0 rules on, 1 fault injected.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await shown.go('/faults?place=deliveries');
    await rules.getByRole('row', { name: /double.*once in 3/ }).waitFor();
    await shown.tabTo('Switch all off');
    await page.keyboard.press('Enter');
    await page.getByText('Failures on purpose: 0 of 2 rules on, 1 fault injected.').waitFor();
    await page.getByRole('switch', { name: 'double (deliveries 1)' }).press('Enter');
    await page.getByText('Failures on purpose: 1 of 2 rules on, 1 fault injected.').waitFor();
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
    // A rule that nobody thought about breaks nothing: it asks for an operation.
    await dialog.getByRole('button', { name: 'Add the rule' }).press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    expect(await dialog.getByLabel('Once in how many').inputValue()).toBe('10');
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
      /slow-answer\s+executed, answered late\s+getModel\s+once in 10, 30 ms late\s+[\d:]+, from the console\s+0\s+0\s+on/,
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
    // One that is there is not offered again.
    const example = page.getByRole('listitem').filter({ hasText: 'Decisions are answered two seconds late' });
    await example.getByText('on', { exact: true }).waitFor();
    await example.getByRole('button', { name: /^Remove: / }).press('Enter');
    await page.getByRole('row', { name: /slow-answer .*decide/ }).waitFor({ state: 'detached' });
    await example.getByRole('button', { name: /^Add: / }).press('Enter');
    await example.getByRole('button', { name: /^Remove: / }).waitFor();
    // The list is walked like any other, and so are the injections, which lead to their rule.
    await page.getByRole('button', { name: /^Change: .*\(requests 1\)$/ }).focus();
    await page.keyboard.press('j');
    const focused = () =>
      page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
    expect(await focused()).toBe('Change: slow-answer (requests 4)');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toMatch(/^Change: .*\(requests 1\)$/);
    const injected = page.getByRole('table', { name: 'Latest injections' });
    await injected.getByRole('button', { name: 'GET /v1/webhooks' }).first().press('Enter');
    const box = (await page.getByRole('dialog', { name: 'Change the rule' }).boundingBox())!;
    // It opens at one place, in the middle of the width.
    expect(Math.abs(box.x + box.width / 2 - 640)).toBeLessThan(2);
    expect(Math.abs(box.y - 0.12 * page.viewportSize()!.height)).toBeLessThan(2);
    await page.keyboard.press('Escape');
    await shown.checkAccessibility();
    await shown.tabTo('Change: slow-answer (requests 4)');
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
    writeFileSync(
      rejected,
      good.repeat(20) +
        good.replace('"e"', '""').replace('"u"', '"ada@example.com"').repeat(3) +
        good.replace('T00:00:00Z', ''),
    );
    expect((await runSvc(['events', 'import', rejected], { home, env })).code).toBe(7);
    const refused = page.getByRole('row', { name: /rejected\.ndjson/ });
    await refused.getByText('finished, 4 rejected').waitFor();
    expect(await refused.locator('svg rect.failed').getAttribute('width')).toBe('4');
    expect(await refused.locator('.badge').getAttribute('class')).toBe('badge warn');
    expect(await row.locator('.badge').getAttribute('class')).toBe('badge good');
    await shown.tabTo('Why: 4 rejected');
    await page.keyboard.press('Enter');
    const reasons = page.getByRole('list', { name: 'Reasons' });
    await reasons.getByText('3', { exact: true }).waitFor();
    expect(await reasons.innerText()).toMatch(/event\s+must.*rejected\.ndjson, lines 21 to 23/s);
    await shown.checkAccessibility();
    await page.getByRole('heading', { name: '4 rejected, most often:' }).waitFor();
    // The first of each stands beside its reason, without what looks personal.
    await reasons.getByText('{"userId":"***","event":"","timestamp":"2026-01-01T00:00:00Z"}').waitFor();
    // The command is the one that reads the times that were refused.
    const again = ['events', 'import', `${rejected}.rejects.ndjson`];
    const flags = ['--timestamp-format', 'YYYY-MM-DD', '--convert-timestamps'];
    await page.getByText(`svc ${[...again, ...flags].join(' ')}`).waitFor();
    const { stdout } = await runSvc([...again, ...flags, '--dry-run', '--json'], { home, env });
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 3 });
    // The name that people gave it; its folder is in the title.
    await page.locator('.facts').getByText('rejected.ndjson', { exact: true }).waitFor();
    expect(await page.locator('.facts').getByTitle(rejected, { exact: true }).count()).toBe(1);
    // One reason alone is not the most frequent one.
    await page.route('**/imports/*', async (route) => {
      const response = await route.fetch();
      const { reasons, ...body } = await response.json();
      await route.fulfill({ response, json: { ...body, reasons: reasons.slice(0, 1) } });
    });
    await page.reload();
    await page.getByRole('heading', { name: '4 rejected:', exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await layoutProblems(page)).toEqual([]);
    }
    await page.getByText('2 finished: 21 records stored from this machine, 4 rejected').waitFor();
    const field = `document.querySelector('.filter input')`;
    expect(await page.evaluate(`${textWidth(field)} <= ${field}.clientWidth - 20`)).toBe(true);
    // The overview names the file too; its link leads there as often as it is followed.
    await shown.go('/overview');
    const line = page
      .getByRole('region', { name: 'Needs you' })
      .getByRole('listitem')
      .filter({ hasText: 'The import of rejected.ndjson: 4 records were rejected, 20 stored.' });
    const back = page.getByRole('link', { name: 'Overview', exact: true });
    for (const leave of [() => page.goBack(), () => page.keyboard.press('Escape').then(() => back.click())]) {
      await line.getByTitle(rejected, { exact: true }).waitFor();
      await line.getByRole('link', { name: 'Show' }).click();
      await page.getByRole('heading', { name: '4 rejected, most often:' }).waitFor();
      await leave();
    }
    await line.getByRole('link', { name: 'Show' }).click();
    await page.getByRole('heading', { name: '4 rejected, most often:' }).waitFor();
    await shown.go('/imports?range=hour');
    await page.getByRole('row', { name: /rejected\.ndjson/ }).waitFor();
    await shown.go('/imports?until=2026-01-01T00:00:00.000Z');
    await page.getByText('No imports match.').waitFor();
    await shown.go('/imports?state=unfinished');
    await page.getByText('No imports match.').waitFor();
    await shown.go('/imports?input=events');
    await shown.tabTo('events.ndjson');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Detail' }).getByTitle(file, { exact: true }).waitFor();
    await shown.checkAccessibility();
    await shown.tabTo('Forget the import');
    await page.keyboard.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Forget the import?' });
    await asked.waitFor();
    // As high as each other one, though it is in the detail.
    expect((await asked.boundingBox())!.y).toBeCloseTo(0.12 * page.viewportSize()!.height, 0);
    await shown.tabTo('Forget it');
    await page.keyboard.press('Enter');
    await page.getByText('No imports match.').waitFor();
    expect(JSON.parse((await runSvc(['imports', 'list', '--json'], { home })).stdout)).toMatchObject({
      imports: [{ inputs: [rejected], rejectsFile: `${rejected}.rejects.ndjson` }],
    });
  });

  test('shows the command that goes on with an interrupted import, with the flags that it had', async () => {
    const { page } = shown;
    let requests = 0;
    const service = await startReceiver((response) => {
      if (++requests > 2) response.writeHead(503).end();
      else response.writeHead(202).end('{"accepted":10}');
    });
    const input = join(home, "Ada's events.csv");
    const lines = Array.from({ length: 30 }, (_, i) => `u${i};tapped;2026-01-0${1 + (i % 9)} 12:00`);
    writeFileSync(input, ['who;what;when', ...lines, ''].join('\n'));
    const flags = [
      ...['--map', 'userId=who', '--map', 'event=what', '--map', 'timestamp=when', '--delimiter', ';'],
      ...['--timestamp-format', 'YYYY-MM-DD HH:mm', '--time-zone', 'Europe/Berlin', '--batch-size', '10'],
    ];
    const own = { ...env, SVC_BASE_URL: service.url.replace(/\/$/, '') };
    const cut = ['--concurrency', '1', '--max-retries', '0'];
    const first = await runSvc(['events', 'import', input, ...flags, ...cut], { home, env: own });
    expect(first.code).toBe(6);
    await shown.go('/overview');
    await page
      .getByText("The import of Ada's events.csv was interrupted and is not finished: 20 records stored")
      .waitFor();
    await shown.go('/imports?state=unfinished');
    await page
      .getByRole('link', { name: 'events.csv' })
      .or(page.getByRole('button', { name: 'events.csv' }))
      .press('Enter');
    const command = page
      .getByRole('complementary', { name: 'Detail' })
      .locator('code', { hasText: '--resume' });
    // The profile is that of this console, not of the service that was interrupted.
    const words = (await command.innerText())
      .split(/\s+/)
      .join(' ')
      .replace(/ --profile local$/, '');
    expect(words).toMatch(
      /^svc events import '.*' .*--timestamp-format 'YYYY-MM-DD HH:mm' --time-zone Europe\/Berlin .*--resume$/,
    );
    await shown.checkAccessibility();
    // As the shell would read it.
    const typed = JSON.parse(
      execFileSync(
        'sh',
        ['-c', `svc() { node -p 'JSON.stringify(process.argv.slice(1))' -- "$@"; }; ${words}`],
        {
          encoding: 'utf8',
        },
      ),
    );
    requests = 0;
    const resumed = await runSvc([...typed, ...cut], { home, env: own });
    expect(resumed.stderr).not.toContain('differ');
    expect(requests).toBeGreaterThan(0);
    await service.close();
    const { imports } = JSON.parse((await runSvc(['imports', 'list', '--json'], { home })).stdout);
    const found = imports.find(({ inputs }: { inputs: string[] }) => inputs[0] === input);
    expect(found.acknowledged).toBe(30);
    expect((await runSvc(['imports', 'forget', found.id, '--yes'], { home })).code).toBe(0);
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
    expect(await page.getByRole('button', { name: 'Publish the draft' }).count()).toBe(0);
  });

  test('finds a user by userId, which is in no address of the page', async () => {
    const { page } = shown;
    await shown.go('/users');
    await shown.tabTo('userId or hashId of a user');
    await page.keyboard.type('u-of-no-import');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/users\/[0-9a-f]{64}$/);
    await page.getByText('No user of this id is stored here.').waitFor();
    // Said while the page is open, and stored nowhere.
    await page.getByText('Looked up by the userId u-of-no-import').waitFor();
    await shown.checkAccessibility();
    const stored = await page.evaluate(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(stored).not.toContain('u-of-no-import');
    const hashId = page.url().slice(-64);
    await shown.go(`/users/${hashId}`);
    await page.getByText('No user of this id is stored here.').waitFor();
    expect(await page.getByText('Looked up by the userId').count()).toBe(0);
    shown.forgetFailedRequests();
  });

  test('says of what may be the beginning of a hashId that none was listed', async () => {
    const { page } = shown;
    await shown.go('/users');
    await shown.tabTo('userId or hashId of a user');
    await page.keyboard.type('0123abcd');
    await page.keyboard.press('Enter');
    await page
      .getByText('No user of this id is stored here, and no hashId that begins so was listed here.')
      .waitFor();
    await page.getByText('Looked up by the userId 0123abcd').waitFor();
    await shown.go('/decisions');
    const field = page.getByRole('textbox', { name: 'User' });
    await field.fill('0123abcd');
    await field.press('Enter');
    await page.getByText('taken as a userId: no hashId that begins so was listed here').waitFor();
    await shown.checkAccessibility();
    shown.forgetFailedRequests();
  });

  test('filters decisions by a userId, with the hashId alone in the address', async () => {
    const { page } = shown;
    await shown.go('/decisions');
    const field = page.getByRole('textbox', { name: 'User' });
    expect(await field.getAttribute('placeholder')).toBe('userId or hashId');
    await shown.tabTo('User');
    await page.keyboard.type('u-of-no-import');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/decisions\?hashId=[0-9a-f]{64}$/);
    expect(await field.inputValue()).toBe('u-of-no-import');
    await page.getByText('No decisions match.').waitFor();
    const chosen = page.url();
    await page.reload();
    await page.getByText('No decisions match.').waitFor();
    expect(await field.inputValue()).toBe(chosen.slice(-64));
    await field.fill('');
    await field.press('Enter');
    await page.waitForURL(/\/decisions$/);
    await shown.check();
  });

  test('leads from a live event to its user', async () => {
    const { page } = shown;
    const argv = ['events', 'send', '--user-id', 'u-of-an-event', '--event', 'opened'];
    expect((await runSvc(argv, { home, env })).code).toBe(0);
    await shown.go('/live');
    const row = page.getByRole('row', { name: /opened/ });
    await row.waitFor();
    expect(await row.innerText()).not.toContain('u-of-an-event');
    await row.getByText('opened').click();
    await page
      .getByRole('complementary', { name: 'Detail' })
      .getByRole('link', { name: /^[0-9a-f]{12}…$/ })
      .click();
    await page.waitForURL(/\/users\/[0-9a-f]{64}$/);
    await page.getByText('Events of a user who is not stored are in').waitFor();
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
    await page.getByText(/^The service runs: 1 process serves, nothing waits to be sent; /).waitFor();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('row', { name: /^ingestEvents POST/ }).waitFor();
    // What is not due yet is said too.
    await page.route('**/console/service', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const backlog = json.backlog.map((each: object, i: number) => ({ ...each, later: i === 0 ? 193 : 0 }));
      const size = json.data.reduce((sum: number, each: { bytes: number }) => sum + each.bytes, 0);
      const data = [
        ...json.data.filter(({ kind }: { kind: string }) => kind !== 'users' && kind !== 'model_piece'),
        { kind: 'users', rows: 1, more: false, bytes: 2 * size },
        { kind: 'model_piece', rows: null, more: false, bytes: size },
      ];
      const startedAt = new Date(Date.now() - 7 * 60_000).toISOString();
      const nodes = json.nodes.map((each: object) => ({ ...each, startedAt }));
      await route.fulfill({ response, json: { ...json, backlog, data, nodes } });
    });
    await page.route('**/console/limits', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const groups = json.groups.map((each: { group: string; limit: number }) =>
        each.group === 'reads' ? { ...each, used: each.limit } : each,
      );
      await route.fulfill({ response, json: { ...json, groups } });
    });
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page.getByText(/, nothing is due, 193 deliveries wait for a retry or a set time; /).waitFor();
    const state = page.locator('.card').filter({ hasText: 'ready' });
    await state.getByText('the limit of reads is used up, 193 deliveries wait', { exact: false }).waitFor();
    const waiting = page.locator('.card').filter({ hasText: 'Waiting to be sent' });
    await waiting.getByText('nothing now', { exact: true }).waitFor();
    await waiting.getByText('193 deliveries wait for a retry or a set time', { exact: true }).waitFor();
    // The second largest is not folded away.
    const sizes = page.getByRole('region', { name: 'Data' });
    await sizes.getByRole('row', { name: /^what the model has learned/ }).waitFor();
    const line = requests.getByRole('img', { name: /^Requests each minute of / });
    expect(await line.getAttribute('aria-label')).toMatch(/ of 7 minutes, at most \d+$/);
    await page.unrouteAll({ behavior: 'wait' });
    // It may be older, where the tests before took long.
    await page.route('**/console/service', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const startedAt = new Date(Date.now() - 2 * 60_000).toISOString();
      const nodes = json.nodes.map((each: object) => ({ ...each, startedAt }));
      await route.fulfill({ response, json: { ...json, nodes } });
    });
    // As many as the limits say: four were let through.
    expect(await requests.getByRole('row', { name: /^listDecisions GET/ }).innerText()).toMatch(
      /^listDecisions\s+GET \/v1\/decisions\s+5\s.*\s1\s+0\s+0$/s,
    );
    await requests.getByRole('heading', { name: /, 1 was turned away by a limit$/ }).waitFor();
    // A process that is younger than an hour counts since it began.
    await requests
      .getByRole('heading', { name: /^\d+ requests in \d+ minutes?, since this process/ })
      .waitFor();
    await line.waitFor({ state: 'detached' });
    const rate = await requests.getByRole('row', { name: /^listDecisions GET/ }).innerText();
    const [, n, aMinute] = /\s(\d+)\s+([\d.]+)\s/.exec(rate)!;
    expect(Number(aMinute)).toBeGreaterThan(0);
    expect(Number(aMinute)).toBeLessThanOrEqual(Number(n));
    await page.unrouteAll({ behavior: 'wait' });
    // Why decisions are slow is said first: by a fault, or by the part that takes longest.
    const headers = {
      authorization: `Bearer ${env.SVC_API_KEY}`,
      'x-service-workspace': env.SVC_WORKSPACE!,
      'content-type': 'application/json',
    };
    const put = (rule: object) =>
      page.evaluate<{ rules: { place: string; index: number }[] }>(`fetch('/console/faults', {
        method: 'PUT',
        body: ${JSON.stringify(JSON.stringify(rule))},
        headers: {
          'content-type': 'application/json',
          'x-console-token': sessionStorage.getItem('svc-console-token'),
        },
      }).then((answer) => answer.json())`);
    const decide = async (times: number) => {
      for (let i = 0; i < times; i++)
        await fetch(`${env.SVC_BASE_URL}/v1/decisioning/decide`, { method: 'POST', headers, body: DECIDE });
    };
    // Of a few requests, no percentile is told.
    await decide(3);
    await requests
      .getByRole('row', { name: /^decide\b.*POST/ })
      .getByText('too few')
      .waitFor();
    expect(await page.getByText(/95 % of decisions take|decisions are slow/).count()).toBe(0);
    await decide(17);
    await page
      .getByText(/, (95 % of decisions take at most|decisions are slow: 5 % take more than) \d+ ms/)
      .waitFor();
    const health = page.locator('.card');
    await health.filter({ hasText: 'Slowest endpoint' }).getByText('decide', { exact: true }).waitFor();
    await health.filter({ hasText: 'Waiting to be sent' }).getByText('nothing', { exact: true }).waitFor();
    await health
      .filter({ hasText: 'Fullest limit' })
      .getByRole('link', { name: /^\w+: \d+ of \d+$/ })
      .waitFor();
    const decided = requests.getByRole('row', { name: /^decide\b.*POST/ });
    expect(await decided.innerText()).toMatch(/[\d.]+ % (waiting for a turn|working|storing)/);
    const late = { endpoint: 'decide', fault: 'slow-answer', delayMs: 3000 };
    const { rules } = await put({ place: 'requests', rule: late });
    const { index } = rules.findLast(({ place }) => place === 'requests')!;
    await shown.go('/service');
    await page
      .getByText(/, a fault answers decisions 3 s late; without it, 95 % take at most \d+ ms/)
      .waitFor();
    // The times of the columns are without it.
    await decided.getByRole('rowheader').getByText('+ 3 s by a fault').waitFor();
    expect(await requests.getByRole('cell', { name: '+ 3 s' }).count()).toBe(0);
    await shown.checkAccessibility();
    for (const width of [390, 1440, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await layoutProblems(page), `at ${width}`).toEqual([]);
    }
    await shown.go('/overview');
    await page.getByRole('link', { name: 'answers 3 s later by a fault' }).waitFor();
    await page.getByText(/^without it, P95.* \d+ ms/).waitFor();
    await put({ place: 'requests', index, remove: true });
    await shown.go('/service');
    await page.getByText('never', { exact: true }).waitFor();
    await shown.tabTo('Make a backup…');
    await page.keyboard.press('Enter');
    await page.getByText('svc data backup svc.backup').waitFor();
    await page.keyboard.press('Escape');
    await requests.getByText(/^to the process of this console, without the console’s own; /).waitFor();
    expect(await page.getByText('Version', { exact: true }).count()).toBe(2);
    expect(await page.getByText('Version of svc').count()).toBe(0);
    const data = page.getByRole('region', { name: 'Data' });
    expect(await data.getByRole('row', { name: /^users/ }).innerText()).toMatch(
      /^users\s+1\s+[\d.]+ ?k?B\s+[\d.]+ %$/,
    );
    const largest = data.getByRole('heading', { name: /^Most room is taken by .*: .*B, [\d.]+ % of all$/ });
    const [, kind] = /taken by (.*): /.exec(await largest.innerText())!;
    expect(await data.getByRole('row', { name: kind! }).first().isVisible()).toBe(true);
    await page.getByText(/^read at [\d:]+, again every 5 s$/).waitFor();
    const own = page.getByRole('row', { name: new RegExp(`this one ${process.pid}`) });
    expect(await own.innerText()).toMatch(/running/);
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await layoutProblems(page)).toEqual([]);
    await shown.checkAccessibility();
  });

  test('says how many triggers of notifications were refused, and why', async () => {
    const { page } = shown;
    const { SVC_BASE_URL: base, SVC_WORKSPACE, SVC_API_KEY } = env;
    const headers = { authorization: `Bearer ${SVC_API_KEY}`, 'x-service-workspace': SVC_WORKSPACE! };
    const send = async (path: string, body: object) => {
      const json = { ...headers, 'content-type': 'application/json' };
      return (await fetch(base + path, { method: 'POST', headers: json, body: JSON.stringify(body) })).json();
    };
    const { users } = (await send('/v1/users', { users: [{ userId: 'refused' }] })) as {
      users: [{ hashId: string }];
    };
    for (const templateId of ['none', 'other', 'third'])
      await send('/v1/inform/trigger', { hashId: users[0].hashId, templateId, channel: 'email' });
    await send('/v1/inform/trigger', { hashId: users[0].hashId, templateId: 'none', channel: 'fax' });
    await shown.go('/overview');
    const needed = page
      .getByRole('region', { name: 'Needs you' })
      .getByRole('listitem')
      .filter({
        hasText:
          /^4 of the 4 triggers of notifications since [\d:]+ were refused, 3 of them with: No template has this templateId\./,
      });
    await needed.waitFor();
    const card = page.getByRole('list', { name: 'The five moves' }).getByRole('listitem').nth(3);
    await card.getByText(/^4 triggers refused, mostly: No template has this templateId\.$/).waitFor();
    await shown.checkAccessibility();
    await needed.getByRole('link', { name: 'Show' }).press('Enter');
    await page.waitForURL('**/notifications');
    const why = page.getByRole('table', { name: 'Refused' }).getByRole('row');
    await page.getByRole('heading', { name: /^4 triggers were refused since [\d:]+$/ }).waitFor();
    expect(await why.nth(1).innerText()).toMatch(
      /^No template has this templateId\.\s+404 not_found\s+trigger\s+3\s/,
    );
    expect(await why.nth(2).innerText()).toMatch(/^channel must be .*\s+400 invalid_request\s+trigger\s+1\s/);
    await shown.checkAccessibility();
    // They are no notifications that failed.
    await page.getByRole('radio', { name: /^failed/ }).press('Space');
    await why.first().waitFor({ state: 'detached' });
    await shown.go('/service');
    await page
      .getByRole('heading', { name: /^\d+ requests were refused or turned away since [\d:]+$/ })
      .waitFor();
  });

  test('imports what was refused by the command that it shows, with the mapping of the import', async () => {
    const { page } = shown;
    const input = join(home, 'mapped.csv');
    const lines = Array.from(
      { length: 21 },
      (_, i) => `u${i};tapped;${i < 20 ? '2026-01-01T12:00:00Z' : 'soon'}`,
    );
    writeFileSync(input, ['who;what;when', ...lines, ''].join('\n'));
    const maps = [
      '--map',
      'userId=who',
      '--map',
      'event=what',
      '--map',
      'timestamp=when',
      '--delimiter',
      ';',
    ];
    expect((await runSvc(['events', 'import', input, ...maps], { home, env })).code).toBe(7);
    await shown.go('/imports');
    await page
      .getByRole('row', { name: /mapped\.csv/ })
      .getByLabel('Why: 1 rejected')
      .click();
    const command = page.getByRole('complementary', { name: 'Detail' }).locator('code', { hasText: '--map' });
    const [, ...words] = (await command.innerText()).split(/\s+/).map((word) => word.replaceAll("'", ''));
    const rejects = `${input}.rejects.ndjson`;
    expect(words.slice(0, 3)).toEqual(['events', 'import', rejects]);
    writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('soon', '2026-01-02T12:00:00Z'));
    const again = await runSvc([...words, '--json'], { home, env });
    expect({ code: again.code, ...JSON.parse(again.stdout) }).toMatchObject({
      code: 0,
      accepted: 1,
      rejected: 0,
    });
  });
});
