/**
 * Measures how long after a tap on a message in a browser a webhook of the tap arrives.
 * `npm run bench -- bench/app/tap-to-webhook.ts [TAPS]`
 *
 * The service is a separate process on a fresh SQLite file; Chromium shows a page with the SDK as it was built, taps are
 * clicks of its mouse. Each has a surface of its own, as the SDK asks for one only every 30 seconds. The clock starts with the
 * click event in the page and ends when the receiver in this process has the body.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { sharedBrowser } from '../../test/support/console/chromium.ts';
import { appUsers, call, publishableKey } from '../support/apps.ts';
import { serve } from '../support/serve.ts';

const taps = Number(process.argv[2] ?? 300);
const WARM_UP = 20;

const folder = mkdtempSync(join(tmpdir(), 'tap-to-webhook-'));
const database = join(folder, 'service.db');
const service = await serve({
  database,
  home: folder,
  flags: [
    '--allow-loopback-webhooks',
    ...['user', 'address', 'key'].flatMap((scope) => ['--client-limit', `${scope}=off`]),
  ],
});
const key = publishableKey(database);
const [user] = await appUsers(service, key, 1);
const page = await listen(async (request, answer) => {
  const options = JSON.stringify({ baseUrl: service.url, workspace: service.workspace, key });
  const token = JSON.stringify(user!.headers['x-service-user-token']);
  const script = `const app = svc.createApp({ ...${options}, user: async () => ${token} });`;
  const files: Record<string, [type: string, body: string]> = {
    '/': [
      'text/html',
      '<!doctype html><script src="/app.js"></script><body><script src="/page.js"></script>',
    ],
    '/app.js': ['text/javascript', readFileSync('dist/app.js', 'utf8')],
    '/page.js': ['text/javascript', script + PAGE],
  };
  const [type, body] = files[request.url!] ?? ['text/plain', ''];
  answer.setHeader('content-type', type);
  answer.end(body);
});
const tapped = new Map<string, (at: number) => void>();
const receiver = await listen(async (request, answer) => {
  const { decisionId } = JSON.parse(await text(request)) as { decisionId: string };
  tapped.get(decisionId)?.(performance.timeOrigin + performance.now());
  answer.writeHead(204).end();
});

/** The page notes when it was clicked, before the SDK learns of it. */
const PAGE = `
app.start();
addEventListener('click', () => { clickedAt = performance.timeOrigin + performance.now(); }, true);
function put(surface) {
  const slot = document.createElement('svc-slot');
  slot.setAttribute('surface', surface);
  document.body.replaceChildren(slot);
}
`;

try {
  const update = ['workspaces', 'update', service.workspace, '--origin', page.url, '--database', database];
  execFileSync(process.execPath, [resolve('bin/run.js'), ...update], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await call(service, 'POST', '/v1/webhooks', {
    url: receiver.url,
    events: ['campaign.clicked'],
    signingSecret: 'a secret for the measurement',
  });
  const browser = await sharedBrowser();
  const tab = await browser.newPage();
  await tab.goto(page.url);
  const latencies: number[] = [];
  for (let i = 0; i < taps + WARM_UP; i++) {
    const surface = `surface-${i}`;
    const context = { channel: 'in-app', surface };
    const { decisionId } = await call<{ decisionId: string }>(service, 'POST', '/v1/decisioning/decide', {
      hashId: user!.hashId,
      context,
    });
    const received = new Promise<number>((arrived) => tapped.set(decisionId, arrived));
    await tab.evaluate(`put('${surface}')`);
    await tab.locator('svc-message [part=action]').click();
    const at = await received;
    const clickedAt = await tab.evaluate<number>('clickedAt');
    if (i >= WARM_UP) latencies.push(at - clickedAt);
  }
  await browser.close();
  latencies.sort((a, b) => a - b);
  const at = (part: number) => Number(latencies[Math.min(taps - 1, Math.floor(taps * part))]!.toFixed(1));
  console.log(JSON.stringify({ taps, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) }));
} finally {
  await service.stop();
  page.close();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}

async function listen(listener: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
