import { AxeBuilder } from '@axe-core/playwright';
import type { Page, Request, Response } from 'playwright-core';
import { expect } from 'vitest';
import { newContext } from './chromium.ts';
import { secondOpinion } from './second-opinion.ts';

/** A page whose traffic and errors are watched. */
export interface WatchedPage {
  readonly page: Page;
  /** Goes to a view by an address below the console's. */
  go(path: string): Promise<void>;
  /** Presses Tab until the element with this accessible name has the focus; fails if it never does. */
  tabTo(name: string | RegExp): Promise<void>;
  /** The commands that were copied, the latest last. */
  copied(): Promise<string>;
  /** Fails for errors of the page, requests to elsewhere, and texts that must not reach it, since the last check. */
  check(options?: { readonly failedRequests: 'ignored' }): Promise<void>;
  /** Forgets that requests failed since the last check, where a test made them fail. */
  forgetFailedRequests(): void;
  /** Checks what is shown by the rules of axe, in the light and in the dark scheme, and by those of a second engine. */
  checkAccessibility(): Promise<void>;
  close(): Promise<void>;
}

/** Most presses of Tab that a job may take. */
const MAX_TABS = 150;

/**
 * Opens the address that a console printed in a context of its own.
 * @param forbidden texts that must be neither in the document nor in the traffic
 */
export async function watchedPage(url: string, forbidden: readonly string[]): Promise<WatchedPage> {
  const context = await newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const { origin } = new URL(url);
  const problems: string[] = [];
  const pending = new Set<Promise<void>>();

  const search = (text: string, where: string) => {
    for (const word of forbidden) if (text.includes(word)) problems.push(`${word} is in ${where}`);
  };
  const onRequest = (request: Request) => {
    const to = request.url();
    if (!to.startsWith(`${origin}/`) && !to.startsWith('data:')) problems.push(`foreign request: ${to}`);
    search(`${to} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`, `a request to ${to}`);
  };
  const onResponse = (response: Response) => {
    // A stream does not end; what it brings is seen in the document.
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return;
    const read = response.text().then(
      (text) => search(text, `the answer of ${response.url()}`),
      () => undefined,
    );
    pending.add(read);
    read.finally(() => pending.delete(read));
  };
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (e) => console.error('CSP', e.violatedDirective, e.blockedURI))`,
  );
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.stack}`));
  page.on('request', onRequest);
  page.on('response', onResponse);

  const go = async (address: string) => {
    const broken = page.waitForEvent('pageerror', { timeout: 0 }).then((error) => Promise.reject(error));
    broken.catch(() => undefined);
    await page.goto(address);
    await Promise.race([page.getByRole('banner').waitFor(), broken]);
  };
  const forgetFailedRequests = () => {
    const others = problems.filter((problem) => !problem.startsWith('error: Failed to load resource'));
    problems.splice(0, problems.length, ...others);
  };
  await go(url);
  return {
    page,
    go: (path) => go(origin + path),
    tabTo: (name) => tabTo(page, name),
    copied: () => page.evaluate('navigator.clipboard.readText()'),
    check: async (options) => {
      await Promise.all(pending);
      search(await page.content(), 'the document');
      // Where nothing answers, the page asks again at any time.
      if (options?.failedRequests === 'ignored') forgetFailedRequests();
      expect(problems.splice(0)).toEqual([]);
    },
    forgetFailedRequests,
    checkAccessibility: () => checkAccessibility(page),
    close: () => context.close(),
  };
}

async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const matches = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  const passed: string[] = [];
  for (let i = 0; i < MAX_TABS; i++) {
    await page.keyboard.press('Tab');
    const text: string = await page.evaluate(FOCUSED_NAME);
    if (matches(text)) return;
    passed.push(text);
  }
  throw new Error(`Tab never reached ${name}; it passed ${[...new Set(passed)].join(' | ')}`);
}

/** The name of the focused element: its label, or its text. */
const FOCUSED_NAME = `(() => {
  const e = document.activeElement;
  const label = e.getAttribute('aria-label') ?? [...(e.labels ?? [])].map((l) => l.textContent).join(' ');
  return (label || e.textContent || '').trim();
})()`;

async function checkAccessibility(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const axe = new AxeBuilder({ page }).setLegacyMode(true);
    // What is not about colours is the same in both.
    if (colorScheme === 'dark') axe.withRules(['color-contrast']);
    const { violations } = await axe.analyze();
    const found = violations.map(({ id, nodes }) => ({
      scheme: colorScheme,
      id,
      nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 300)} ${failureSummary}`),
    }));
    expect(found).toEqual([]);
  }
  expect(await secondOpinion(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
