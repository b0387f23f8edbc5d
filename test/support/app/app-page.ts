import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { bundleApp } from '../../../scripts/app.js';
import { updateWorkspace } from '../../../src/service/admin/accounts.ts';
import type { App, Message } from '../../../types/app.d.mts';
import { newContext } from '../console/chromium.ts';
import { withClients } from '../process/clients.ts';

let built: Promise<string> | undefined;

/** The folder with the SDK as its source says; built once for the worker process. */
function builtApp(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-app-sdk-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    await bundleApp(folder);
    return folder;
  })();
  return built;
}

/** What the page of the tests keeps in its window. */
declare global {
  var app: App;
  var acted: string[];
}

type Format = Message['format'];

const content = (format: Format, more: object = {}) => ({
  contentId: `c-${format}`,
  category: 'test',
  format,
  title: `A ${format} message`,
  body: 'Take the tour of what is new.',
  channels: ['in-app'],
  ...more,
});

/** The page sets up the app like an integrator, but for `start`, which tests call. */
const SCRIPT = (options: object) => `
const given = ${JSON.stringify(options)};
globalThis.acted = [];
globalThis.app = svc.createApp({
  ...given,
  user: async () => (await fetch('/token')).text(),
  action: () => given.action,
  ...(given.handles ? { onAction: (message) => { acted.push(message.contentId); } } : {}),
});
if (given.starts !== false) app.start();
`;

const POLICY = (service: string) =>
  `default-src 'none'; script-src 'self'; connect-src 'self' ${service}; base-uri 'none'; form-action 'none'`;

/** A page of a shop in a browser, with the SDK under a strict policy, and the service that it talks to, on another origin. */
export async function appPage({
  format,
  texts = {},
  body = '<main><h1>Shop</h1><button id="before">Before</button><svc-slot surface="home"></svc-slot></main>',
  lang = 'en',
  admitted = true,
  options = {},
  ...serviceOptions
}: {
  format?: Format;
  texts?: object;
  body?: string;
  lang?: string;
  admitted?: boolean;
  options?: object;
} & Parameters<typeof withClients>[0] = {}) {
  const folder = await builtApp();
  const clients = await withClients({ appScript: join(folder, 'app.js'), ...serviceOptions });
  const { service, key, ada, tokenFor } = clients;
  const contents = format ? [content(format, texts)] : [content('card', { channels: ['none'] })];
  const put = await service.fetch('/v1/catalog', { method: 'PUT', body: { catalog: { contents } } });
  expect(put.status, await put.clone().text()).toBe(200);
  /** Tokens that the server of the page has made, and the next one instead, if it is set. */
  const tokens = { made: 0, next: undefined as string | undefined };
  const server = createServer((request, answer) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://page');
      const send = (type: string, text: string | Buffer) => {
        answer.setHeader('content-type', type);
        answer.setHeader('content-security-policy', POLICY(service.url));
        answer.end(text);
      };
      if (pathname === '/app.js') return send('text/javascript', readFileSync(join(folder, 'app.js')));
      if (pathname === '/page.js')
        return send(
          'text/javascript',
          SCRIPT({ baseUrl: service.url, workspace: service.workspace, key, ...options }),
        );
      if (pathname === '/token') {
        tokens.made++;
        const made = tokens.next ?? (await tokenFor(ada, service, { userId: 'ada' }));
        tokens.next = undefined;
        return send('text/plain', made);
      }
      if (pathname !== '/') {
        answer.statusCode = 404;
        return answer.end();
      }
      return send(
        'text/html; charset=utf-8',
        `<!doctype html><html lang="${lang}"${lang === 'ar' ? ' dir="rtl"' : ''}><title>Shop</title><meta name="viewport" content="width=device-width"><script src="/app.js"></script><body>${body}<script src="/page.js"></script></body></html>`,
      );
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  if (admitted) await updateWorkspace(service.platform.store, service.workspace, { origins: [origin] });
  const context: BrowserContext = await newContext({ viewport: { width: 800, height: 700 } });
  onTestFinished(() => context.close());
  /** What the browser complained about. */
  const problems: string[] = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/.test(message.text())) problems.push(message.text());
    });
  });
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(origin);
    return page;
  };
  const decided = async (surface = 'home'): Promise<string> => {
    const answer = await service.fetch('/v1/decisioning/decide', {
      body: { hashId: ada, context: { channel: 'in-app', surface } },
    });
    return ((await answer.json()) as { decisionId: string }).decisionId;
  };
  const rows = <T extends object>(sql: string) =>
    service.platform.store.read((tx) => tx.sql.all<T>(sql, [service.workspace]));
  /** Ids of the stored events, and the outcomes of messages, each in the order in which they came. */
  const stored = async () =>
    (
      await rows<{ id: string }>('SELECT event_id AS id FROM event WHERE workspace_id = ? ORDER BY number')
    ).map(({ id }) => id);
  const outcomes = async () =>
    (
      await rows<{ type: string }>('SELECT type FROM outcome WHERE workspace_id = ? ORDER BY at_ms, type')
    ).map(({ type }) => type);
  return { ...clients, context, origin, open, decided, rows, stored, outcomes, tokens, problems };
}

/** Checks a page by the rules of axe, in the light and in the dark scheme. */
export async function checkByAxe(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    expect(violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([]);
  }
}
