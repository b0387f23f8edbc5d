import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { updateWorkspace } from '../../../src/service/admin/accounts.ts';
import { systemSteadyClock } from '../../../src/service/platform/limits/limiter-clock.ts';
import { openStore } from '../../../src/service/platform/open.ts';
import { killable } from '../process/killable.ts';
import { tempDir } from '../temp.ts';

/** Parameters of the test. */
export interface Storm {
  readonly notifications: number;
  /** Requests a second that the provider takes; it answers the rest 429. */
  readonly perSecond: number;
  /** SIGKILLs of the service while it sends. */
  readonly kills: number;
  /** True if the provider ignores a second request with the same Idempotency-Key. */
  readonly deduplicates: boolean;
  /** How often in a row the provider fails with one message: each further retry waits longer. */
  readonly mostInRow: number;
  /** Share of the notifications that are cancelled at random moments, and of those that are sent some seconds later. */
  readonly cancelled?: number;
  /** The address of an empty PostgreSQL database. Default: an SQLite file. */
  readonly database?: string | undefined;
  readonly seed: string;
}

/** What the service answers, as far as the test reads it. */
interface Answered {
  readonly users: readonly { readonly hashId: string }[];
  readonly notificationId: string;
  readonly status: string;
  readonly failure?: string;
  readonly sentBefore: boolean;
}

interface Ended {
  readonly status: string;
  readonly failure?: string;
}

const SECRET = 'the secret of the storm';
const USERS = 50;
/** Share of the requests that fail with a 500, half of them after the message was taken. */
const FAILING = 0.2;
/** The longest delay of a notification that is sent later. */
const LATER_MS = 10_000;
/** Cancellations at a time. */
const CANCELLING = 8;

/**
 * Sends notifications through a provider that fails a fifth of the requests, limits them and dies twice, by a service that
 * is killed again and again. Checks that each ends, that none reaches the user twice, that each that may have is named, and
 * that nothing is sent of those that are cancelled.
 */
export async function throughStorm(storm: Storm) {
  const started = Date.now();
  const provider = await stormyProvider(storm);
  const service = await stormService(provider.url, storm);
  const random = seededRandom(`${storm.seed} cancelled`);
  const share = storm.cancelled ?? 0;
  const { users } = await service.call('POST', '/v1/users', {
    users: Array.from({ length: USERS }, (_, i) => ({ userId: `u${i}`, phone: `+4420794600${10 + i}` })),
  });
  const ids: string[] = [];
  await eachOf(storm.notifications, 16, async (i) => {
    const { hashId } = users[i % USERS]!;
    const later = random() < share && new Date(Date.now() + random() * LATER_MS).toISOString();
    const body = {
      hashId,
      templateId: 'welcome',
      channel: 'sms',
      priority: 'transactional',
      ...(later && { sendAt: later }),
    };
    const { notificationId } = await service.call('POST', '/v1/inform/trigger', body, `key-${i}`);
    ids.push(notificationId);
  });
  expect(new Set(ids).size).toBe(storm.notifications);

  const chosen = ids.filter(() => random() < share);
  const pauseMs = (2000 * CANCELLING * storm.notifications) / storm.perSecond / chosen.length;
  /** What was answered to each cancellation, and how many requests the provider had got by then. */
  const answers = new Map<string, { readonly sentBefore: boolean; readonly requests: number }>();
  const cancelling = eachOf(chosen.length, CANCELLING, async (i) => {
    await new Promise((resolve) => setTimeout(resolve, random() * pauseMs));
    const id = chosen[i]!;
    const { sentBefore } = await service.call('POST', `/v1/inform/notifications/${id}/cancel`);
    answers.set(id, { sentBefore, requests: provider.requests.get(id) ?? 0 });
  });

  // The provider dies and the service is killed at evenly spread moments of what is left to take.
  const moments = [
    ...Array.from({ length: storm.kills }, (_, i) => ({ at: (i + 1) / (storm.kills + 1), what: 'kill' })),
    ...[1 / 4, 3 / 5].map((at) => ({ at, what: 'die' })),
  ].sort((a, b) => a.at - b.at);
  for (const { at, what } of moments) {
    await provider.taken(Math.floor(storm.notifications * at * 0.8 * (1 - share)));
    if (what === 'die') await provider.die(500);
    else await service.kill();
  }

  await cancelling;
  const records = new Map<string, Ended>();
  for (const id of ids) {
    for (;;) {
      const record: Ended = await service.call('GET', `/v1/inform/notifications/${id}`);
      records.set(id, record);
      if (['delivered', 'failed', 'cancelled'].includes(record.status)) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  await service.stop();

  const counts = { delivered: 0, uncertain: 0, refused: 0, cancelled: 0, sentBefore: 0 };
  for (const [id, { sentBefore, requests }] of answers) {
    expect(provider.requests.get(id) ?? 0, 'nothing is sent after the answer').toBe(requests);
    if (sentBefore) counts.sentBefore++;
    else expect(provider.messages.has(id), 'what was not sent before is never sent').toBe(false);
  }
  for (const [id, { status, failure = '' }] of records) {
    const times = provider.messages.get(id) ?? 0;
    expect(times, 'no message reaches the user twice').toBeLessThanOrEqual(1);
    if (status === 'delivered') {
      counts.delivered++;
      expect(times, 'what is delivered reached the provider').toBe(1);
    } else if (status === 'cancelled') counts.cancelled++;
    else if (failure.startsWith('uncertain: ')) counts.uncertain++;
    else {
      counts.refused++;
      expect(failure).not.toBe('');
      expect(times, 'what the provider took is delivered or uncertain').toBe(0);
    }
  }
  return {
    ...counts,
    throttled: provider.throttled(),
    deaths: provider.deaths(),
    kills: service.kills(),
    seconds: Math.round((Date.now() - started) / 1000),
  };
}

/** A provider that takes the signed POST of `generic`. */
async function stormyProvider({ perSecond, deduplicates, mostInRow, seed }: Storm) {
  const random = seededRandom(seed);
  /** How often each message was handed to the user. */
  const messages = new Map<string, number>();
  /** How many requests came for each message. */
  const requests = new Map<string, number>();
  const failures = new Map<string, number>();
  let window = 0;
  let inWindow = 0;
  let throttled = 0;
  let deaths = 0;
  let onTaken = () => {};
  const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const id = (JSON.parse(body) as { notificationId: string }).notificationId;
    requests.set(id, (requests.get(id) ?? 0) + 1);
    const second = Math.floor(Date.now() / 1000);
    if (second !== window) {
      window = second;
      inWindow = 0;
    }
    // The first ones too, however slowly they come.
    if (++inWindow > perSecond || throttled < 5) {
      throttled++;
      return void response.writeHead(429, { 'retry-after': '1' }).end();
    }
    const failed = failures.get(id) ?? 0;
    const luck = failed < mostInRow ? random() : 1;
    failures.set(id, luck < FAILING ? failed + 1 : 0);
    if (luck < FAILING / 2) return void response.writeHead(500).end();
    expect(request.headers['idempotency-key']).toBe(id);
    if (!deduplicates || !messages.has(id)) messages.set(id, (messages.get(id) ?? 0) + 1);
    response.writeHead(luck < FAILING ? 500 : 202).end();
    onTaken();
  };
  const start = (port: number) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => {});
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
    });
    return new Promise<typeof server>((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
  };
  let server = await start(0);
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  onTestFinished(() => stop());
  return {
    url: `http://127.0.0.1:${port}/`,
    messages,
    requests,
    throttled: () => throttled,
    deaths: () => deaths,
    /** Resolves when so many messages were taken. */
    taken: (count: number) =>
      new Promise<void>((resolve) => {
        onTaken = () => {
          if (messages.size >= count) resolve();
        };
        onTaken();
      }),
    async die(ms: number) {
      deaths++;
      await stop();
      await new Promise((resolve) => setTimeout(resolve, ms));
      server = await start(port);
    },
  };
}

/** The service in a separate process, restarted on the same data and port after each kill. */
async function stormService(providerUrl: string, { deduplicates, database: given }: Storm) {
  const program = await killable<{ url: string; workspace: string; apiKey: string }>(
    join(import.meta.dirname, 'storm-service.ts'),
  );
  onTestFinished(() => program.release());
  const dataDir = tempDir();
  const database = given ?? join(dataDir, 'service.db');
  const environment = {
    SVC_SMS_URL: providerUrl,
    SVC_PROVIDER_SECRET: SECRET,
    SVC_PROVIDER_KEYS_HONOURED: deduplicates ? '1' : '0',
  };
  const first = await program.start({ database, dataDir, port: 0, environment });
  await program.kill();
  const { store } = await openStore(database, systemClock, systemSteadyClock, 1);
  await updateWorkspace(store, first.workspace, { mode: 'live' });
  await store.close();
  const port = Number(new URL(first.url).port);
  await program.start({ database, dataDir, port, environment });
  const headers = {
    authorization: `Bearer ${first.apiKey}`,
    'x-service-workspace': first.workspace,
    'content-type': 'application/json',
  };
  let kills = 0;
  return {
    kills: () => kills,
    async kill() {
      kills++;
      await program.kill();
      await program.start({ database, dataDir, port, environment });
    },
    stop: () => program.kill(),
    /** Calls until there is a success; the service may be down. */
    async call(method: string, path: string, body?: unknown, key?: string): Promise<Answered> {
      for (;;) {
        try {
          const answer = await fetch(first.url + path, {
            method,
            headers: { ...headers, ...(key ? { 'idempotency-key': key } : {}) },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
          return JSON.parse(text) as Answered;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
  };
}

/** Runs `count` jobs, `width` at a time. */
async function eachOf(count: number, width: number, job: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
