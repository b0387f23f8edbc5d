/**
 * Takes a picture of every view of the console in both schemes: `npm run build`, then
 * `npm run screenshots [FOLDER [VIEW…]]` (default: screenshots, all), as WebP in light/ and dark/.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startService } from '../../../src/service/start.ts';
import { sharedBrowser } from './chromium.ts';
import { startMachineConsole } from './machine-console.ts';
import { fillWorkspace, type Send, startReceiver } from './sample-data.ts';
import { laggingClock, liveThroughHours } from './simulated-days.ts';

const [folder = 'screenshots', ...wanted] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
const clock = laggingClock();
const limits = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
const service = await startService({
  database: join(home, 'service.db'),
  limits,
  clock,
  allowLoopbackWebhooks: true,
});
const headers = {
  authorization: `Bearer ${service.apiKey}`,
  'x-service-workspace': service.workspace,
  'content-type': 'application/json',
};
const request = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await fetch(service.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text === '' ? (undefined as T) : JSON.parse(text);
};
const send: Send = (path, body) => request(body === undefined ? 'GET' : 'POST', path, body);
/** The subscriber is out for three hours, and else fails now and then. */
const OUT_FROM = 11 * 3_600_000;
const OUT_UNTIL = 8 * 3_600_000;
let calls = 0;
const receiver = await startReceiver(() => {
  const isOut = clock.lagMs > OUT_UNTIL && clock.lagMs <= OUT_FROM;
  return isOut || calls++ % (clock.lagMs > 0 ? 25 : 5) === 0;
});

const { catalog } = await request<{ catalog: { contents: { contentId: string }[] } }>('GET', '/v1/catalog');
const first = {
  ...catalog,
  settings: { holdout: 0.15, rewardWindowMinutes: 60 },
  goals: [{ goalId: 'order', event: 'order_completed', within: '7d' }],
};
const better = (content: { contentId: string }) =>
  content.contentId === 'card_offer' ? { ...content, title: 'A card that pays you back' } : content;
const put = (stored: object, note: string) =>
  request('PUT', '/v1/catalog', { catalog: stored, author: 'team', note });
clock.lagMs = 2 * 86_400_000;
await put(first, 'Orders are the goal');
const hashIds = await storeUsers(1000);
await send('/v1/webhooks', {
  url: `${receiver.url}/rewards`,
  events: ['message.dismissed', 'decision.actioned'],
  signingSecret: 'a secret of the pictures',
});
await liveThroughHours(send, clock, {
  improve: () => put({ ...first, contents: catalog.contents.map(better) }, 'Say what the card gives'),
  each: notify,
});
for (const from of [2000, 3000, 4000]) await storeUsers(from);
const data = await fillWorkspace(send, receiver.url);
const console_ = startConsole();
const [url] = await urlOf(console_);
const { origin } = new URL(url!);

const machineHome = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
const machine = await startMachineConsole(machineHome);
/** The views that the console of a remote service cannot fill. */
const OF_MACHINE = ['limits', 'imports', 'faults', 'service'];

const views: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/overview'],
  ['live', '/live'],
  ['users', '/users'],
  ['user', `/users/${data.hashId}`],
  ['decisions', '/decisions'],
  ['decision', await exploredDecision()],
  ['contents', '/contents'],
  ['messages', '/messages'],
  ['notifications', '/notifications'],
  ['webhooks', '/webhooks'],
  ['limits', '/limits'],
  ['imports', '/imports'],
  ['faults', '/faults'],
  ['service', '/service'],
  ['catalog', '/catalog'],
  ['version', '/catalog/versions/2'],
  ['editor', '/catalog/contents/card_offer'],
];

/** Of the WebP files, from 0 to 100: text stays legible. */
const QUALITY = 3;

for (const scheme of ['light', 'dark']) mkdirSync(join(folder, scheme), { recursive: true });
const events = setInterval(() => void sendEvents().catch(() => undefined), 200);
try {
  const browser = await sharedBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const devtools = await page.context().newCDPSession(page);
  for (const address of [machine.url, url!]) {
    await page.goto(address);
    await page.getByRole('navigation').waitFor();
  }
  for (const [name, path] of views) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await page.goto((OF_MACHINE.includes(name) ? new URL(machine.url).origin : origin) + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // A list and its detail are loaded side by side.
    const loading = page.getByRole('status').filter({ hasText: 'Loading' });
    while ((await loading.count()) > 0) await page.waitForTimeout(50);
    // Enough of a rate to be seen.
    await page.waitForTimeout(name.startsWith('live') ? 8000 : 400);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(300);
      const { data: picture } = await devtools.send('Page.captureScreenshot', {
        format: 'webp',
        quality: QUALITY,
      });
      writeFileSync(join(folder, scheme, `${name}.webp`), Buffer.from(picture, 'base64'));
    }
  }
  await browser.close();
} finally {
  clearInterval(events);
  console_.kill('SIGINT');
  await once(console_, 'exit');
  await machine.stop();
  await receiver.close();
  await service.close(0);
  for (const each of [home, machineHome]) rmSync(each, { recursive: true, force: true });
}

function startConsole(): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_BASE_URL: service.url,
    SVC_WORKSPACE: service.workspace,
    SVC_API_KEY: service.apiKey!,
  };
  const argv = ['bin/run.js', 'console', '--write', '--json'];
  return spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function urlOf(child: ChildProcess): Promise<string[]> {
  for await (const line of createInterface({ input: child.stdout! })) return [JSON.parse(line).url as string];
  throw new Error('svc console ended without an address');
}

/** The address of a decision that was not the best known one. */
async function exploredDecision(): Promise<string> {
  const { decisions } = await send<{
    decisions: {
      decisionId: string;
      contentId: string | null;
      candidates: { contentId: string; ranking: number }[];
    }[];
  }>('/v1/decisions?order=newest&limit=500');
  const explored = decisions.find(({ contentId, candidates }) => {
    const best = [...candidates].sort((a, b) => b.ranking - a.ranking)[0];
    return candidates.length > 4 && best?.contentId !== contentId;
  });
  return `/decisions/${(explored ?? decisions[0]!).decisionId}`;
}

/** Some are told of an order by SMS, and others are welcomed by email; a few have no address for it. */
async function notify(hour: number): Promise<void> {
  // What happened before is delivered in its hour.
  for (let looks = 0; looks < 100 && !(await service.idle()); looks++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  for (let i = hour * 9; i < hour * 9 + 9; i++) {
    const hashId = hashIds[i];
    await (i % 3 === 0
      ? send('/v1/inform/trigger', {
          ...{ hashId, templateId: 'order_update', channel: 'sms' },
          variables: { orderId: `A-${1000 + i}` },
        })
      : send('/v1/inform/trigger', { hashId, templateId: 'welcome', channel: 'email' }));
  }
}

/** Stores 1,000 of the users whose events are sent. */
async function storeUsers(from: number): Promise<string[]> {
  const users = Array.from({ length: 1000 }, (_, i) => ({
    userId: `u_${from + i}`,
    locale: ['en-GB', 'fr-FR', 'de-DE', 'ja-JP'][i % 4],
    ...(i % 5 === 0 ? {} : { emails: [`${from + i}@example.org`] }),
    ...(i % 3 === 0 ? { phone: `+4420794${from + i}0` } : {}),
    ...(i % 2 === 0 ? { devices: [{ channel: 'push', token: `token-of-${from + i}` }] } : {}),
    ...(i % 9 === 4 ? { optOut: ['email/news'] } : {}),
  }));
  const stored = await send<{ users: { hashId: string }[] }>('/v1/users', { users });
  return stored.users.map(({ hashId }) => hashId);
}

async function sendEvents(): Promise<void> {
  const names = ['page_view', 'card_tapped', 'payment_made', 'search', 'login', 'transfer_completed'];
  const events = Array.from({ length: 2 + Math.floor(Math.random() * 8) }, () => ({
    userId: `u_${1000 + Math.floor(Math.random() * 4000)}`,
    event: names[Math.floor(Math.random() * names.length)],
    timestamp: new Date().toISOString(),
    properties: {
      amount: Math.round(Math.random() * 40_000) / 100,
      source: ['web', 'ios', 'android'][Math.floor(Math.random() * 3)],
    },
  }));
  await send('/v1/events', { events });
}
