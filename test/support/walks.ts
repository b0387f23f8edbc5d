import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { startReceiver } from './peers/receiver.ts';
import { ROOT } from './process/run-svc.ts';
import { startTestService } from './process/service.ts';
import { knownUser, secret } from './process/webhooks-service.ts';

/** How often each request is made: what runs each time belongs to it, and what a timer does now and then does not. */
const TIMES = 8;

/** The files of src/service in which a function runs, by the name of the move, sorted. */
export type Walks = Record<'track' | 'decide' | 'render' | 'notify' | 'webhook', string[]>;

/** What carries out the work of every worker, beside the files that its feature imports. */
const PLATFORM = 'platform/open.ts';

const SERVICE = join(ROOT, 'src/service');

/** The files of src/service that a file imports when it runs, directly or through others, and the file itself. */
function reachableFrom(...entries: string[]): ReadonlySet<string> {
  const found = new Set<string>(entries);
  for (const file of found) {
    const text = readFileSync(join(SERVICE, file), 'utf8');
    const imports = text.matchAll(
      /^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
    );
    for (const [, atOnce, lazily] of imports) {
      const target = relative(SERVICE, join(SERVICE, dirname(file), (atOnce ?? lazily)!)).replaceAll(
        '\\',
        '/',
      );
      if (!target.startsWith('..')) found.add(target);
    }
  }
  return found;
}

/**
 * Measures the walks of ARCHITECTURE.md: a service on SQLite gets one request at a time while its workers are idle, and
 * V8 counts the functions that run until the answer and, of those that the worker's feature imports, until the work is
 * done: other workers look for work at the same time. The first request of each kind, which fills caches, is not measured.
 */
export async function measureWalks(): Promise<Walks> {
  const receiver = await startReceiver();
  const provider = await startReceiver();
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    // Above what is requested, so that the limiter counts and refuses nothing.
    limits: { ingest: 1000, inform: 1000, decisions: 1000, reads: 1000, webhooks: 1000 },
    environment: { SVC_PUSH_URL: provider.url, SVC_PROVIDER_SECRET: 'a secret of the provider, for tests' },
  });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  const ran = async (): Promise<Set<string>> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const files = result
      // The first function is the module itself, which runs when it is imported.
      .filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0]!.count > 0))
      .map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url));
    const below = `${SERVICE}/`;
    return new Set(files.filter((file) => file.startsWith(below)).map((file) => file.slice(below.length)));
  };
  const idle = () => expect.poll(() => service.idle(), { interval: 5 }).toBe(true);
  const walk = async (
    request: () => Promise<unknown>,
    work?: { entries: string[]; done: () => Promise<unknown> },
  ): Promise<string[]> => {
    const reachable = reachableFrom(PLATFORM, ...(work?.entries ?? []));
    let common: Set<string> | undefined;
    for (let i = 0; i <= TIMES; i++) {
      await idle();
      await ran();
      await request();
      const seen = await ran();
      await work?.done();
      if (work) for (const file of await ran()) if (reachable.has(file)) seen.add(file);
      if (i > 0) common = common === undefined ? seen : new Set([...common].filter((file) => seen.has(file)));
    }
    return [...common!].sort();
  };
  const send = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await service.fetch(path, { body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  /** Waits until a statement counts so many rows. */
  const stored = (statement: string, count: number) => {
    const counted = () =>
      service.platform.store.read(async (tx) => Number((await tx.sql.get<{ n: number }>(statement))?.n));
    return expect.poll(counted, { interval: 5 }).toBe(count);
  };

  try {
    const hashId = await knownUser(service);
    const event = { userId: 'u1', event: 'product_viewed', timestamp: new Date().toISOString() };
    // Without the one content that has an event rule, so that it does not matter which contents are chosen.
    const guardrails = { excludeCategories: ['savings'] };
    const decide = () => send('/v1/decisioning/decide', { hashId, guardrails });
    const track = await walk(() => send('/v1/events', { events: [event] }));
    const decided = await walk(decide);
    const render = await walk(() => send(`/v1/messages?hashId=${hashId}`));
    let sent = 0;
    const notify = await walk(
      () => {
        const body = {
          hashId,
          templateId: 'order_update',
          channel: 'push',
          variables: { orderId: `${sent}` },
        };
        return send('/v1/inform/trigger', { ...body, priority: 'transactional' });
      },
      {
        entries: ['notifications/feature.ts', 'notifications/providers/settings.ts'],
        done: async () => {
          await provider.waitFor(++sent);
          await stored('SELECT COUNT(*) AS n FROM notification WHERE due_at IS NULL', sent);
        },
      },
    );
    await send('/v1/webhooks', { url: receiver.url, events: ['campaign.clicked'], signingSecret: secret });
    const decisions: string[] = [];
    for (let i = 0; i <= TIMES; i++) decisions.push((await decide()).decisionId as string);
    let delivered = 0;
    const webhook = await walk(() => send(`/v1/messages/${decisions.pop()}/outcomes`, { type: 'clicked' }), {
      entries: ['webhooks/feature.ts'],
      done: async () => {
        await receiver.waitFor(++delivered);
        await stored("SELECT COUNT(*) AS n FROM delivery WHERE status = 'delivered'", delivered);
      },
    });
    return { track, decide: decided, render, notify, webhook };
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    await receiver.close();
    await provider.close();
  }
}
