import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifyBody } from '../../src/contract/signature.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { killable } from '../support/process/killable.ts';
import { tempDir } from '../support/temp.ts';

/** Parameters of the test. `outcomes` are acknowledged taps; `kills` are SIGKILLs while they are sent. */
export interface Shaking {
  readonly outcomes: number;
  readonly kills: number;
  readonly seed: string;
}

export interface Shaken {
  readonly deliveries: number;
  readonly doubled: number;
  readonly kills: number;
  readonly seconds: number;
}

const SECRET = 'the secret of the chaos test';
const KINDS = ['campaign.opened', 'campaign.clicked', 'decision.actioned'];
const TYPES = ['opened', 'clicked', 'actioned'];
/** How much later than a kill this process may read a request that was sent before it. */
const READ_LATE_MS = 2000;

/**
 * Reports taps to a service that is killed repeatedly, with three working and five faulty subscribers, and checks the
 * guarantee of docs/webhooks.md: each working subscriber receives every delivery at least once, with the same bytes and
 * id, and twice only if the service was killed before it stored the result.
 */
export async function shakeDeliveries({ outcomes, kills, seed }: Shaking): Promise<Shaken> {
  const random = seededRandom(seed);
  const started = Date.now();
  const good = await Promise.all([goodReceiver(), goodReceiver(), goodReceiver()]);
  const bad = await Promise.all(BAD.map((answer) => receiver(answer)));
  const service = await killableService();
  for (const url of [...good.map((each) => each.url), ...bad]) {
    const body = { url, events: KINDS, signingSecret: SECRET };
    await service.call('/v1/webhooks', body);
  }

  const decisions: string[] = [];
  await eachOf(Math.ceil(outcomes / TYPES.length), 16, async (i) => {
    const { decisionId } = await service.call('/v1/decisioning/decide', { hashId: `user-${i}` });
    decisions.push(decisionId as string);
  });
  const taps = decisions
    .flatMap((decisionId) => TYPES.map((type) => ({ decisionId, type })))
    .slice(0, outcomes);
  const killAt = new Set(
    Array.from({ length: kills }, (_, i) => Math.floor(((i + random()) * taps.length) / kills)),
  );
  await eachOf(taps.length, 16, async (i) => {
    const { decisionId, type } = taps[i]!;
    if (killAt.has(i)) service.kill();
    await service.call(`/v1/messages/${decisionId}/outcomes`, { type });
  });
  await Promise.all(good.map((each) => each.has(taps.length)));
  await service.stop();

  const wanted = new Set(taps.map(({ decisionId, type }) => `${decisionId} ${type}`));
  let doubled = 0;
  for (const each of good) {
    const seen = new Set<string>();
    for (const [id, copies] of each.deliveries) {
      const [first, ...others] = copies;
      const body = JSON.parse(first!.body) as Record<string, string>;
      expect(body.deliveryId).toBe(id);
      seen.add(`${body.decisionId} ${TYPES[KINDS.indexOf(body.type!)]}`);
      for (const other of others) {
        expect(other.body, 'the bytes of a repeated delivery').toBe(first!.body);
        doubled += 1;
      }
      // A kill came before the result of each copy but the last was stored, and so before the next copy.
      for (const [i, next] of others.entries())
        expect(
          service.kills.some((at) => copies[i]!.at <= at + READ_LATE_MS && next.at >= at),
          `a delivery was repeated although no kill lost its answer`,
        ).toBe(true);
    }
    expect(seen).toEqual(wanted);
    expect(each.deliveries.size, 'one delivery for each outcome').toBe(taps.length);
    expect(each.unsigned).toBe(0);
  }
  expect(service.kills.length).toBe(killAt.size);
  return {
    deliveries: taps.length * good.length,
    doubled,
    kills: service.kills.length,
    seconds: Math.round((Date.now() - started) / 1000),
  };
}

/** Faulty receivers: 500, no answer, a reset connection, 429 with a long Retry-After, an endless body. */
const BAD: readonly ((response: ServerResponse, request: IncomingMessage) => void)[] = [
  (response) => response.writeHead(500).end('no'),
  () => {},
  (_response, request) => request.socket.resetAndDestroy(),
  (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(drip));
  },
];

interface Copy {
  readonly body: string;
  readonly at: number;
}

async function goodReceiver() {
  const deliveries = new Map<string, Copy[]>();
  let unsigned = 0;
  let onDelivery = () => {};
  const url = await receiver((response, request, raw) => {
    const id = String(request.headers['webhook-id']);
    if (!verifyBody(raw, SECRET, String(request.headers['x-service-signature']))) unsigned += 1;
    deliveries.set(id, [...(deliveries.get(id) ?? []), { body: raw.toString(), at: Date.now() }]);
    response.writeHead(204).end();
    onDelivery();
  });
  return {
    url,
    deliveries,
    get unsigned() {
      return unsigned;
    },
    has: (count: number) =>
      new Promise<void>((resolve) => {
        onDelivery = () => {
          if (deliveries.size >= count) resolve();
        };
        onDelivery();
      }),
  };
}

async function receiver(
  answer: (response: ServerResponse, request: IncomingMessage, raw: Buffer) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(response, request, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The service in a separate process, restarted on the same data and port after each kill. */
async function killableService() {
  const program = await killable<{ url: string; workspace: string; apiKey: string }>(
    join(import.meta.dirname, 'delivery-service.ts'),
  );
  onTestFinished(() => program.release());
  const database = join(tempDir(), 'service.db');
  const kills: number[] = [];
  const first = await program.start({ database, port: 0 });
  const port = Number(new URL(first.url).port);
  let ready: Promise<unknown> = Promise.resolve();
  const headers = {
    authorization: `Bearer ${first.apiKey}`,
    'x-service-workspace': first.workspace,
    'content-type': 'application/json',
  };
  return {
    kills,
    kill: () => {
      ready = ready.then(async () => {
        kills.push(Date.now());
        await program.kill();
        await program.start({ database, port });
      });
    },
    stop: async () => {
      await ready;
      await program.kill();
    },
    /** Sends until a 2xx answer. Retries only while the service is down. */
    call: async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      for (;;) {
        await ready;
        try {
          const answer = await fetch(first.url + path, {
            method: 'POST',
            headers,
            body: JSON.stringify(body),
          });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
          return JSON.parse(text) as Record<string, unknown>;
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
