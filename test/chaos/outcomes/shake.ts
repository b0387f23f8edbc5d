import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { type Killable, killable } from '../../support/process/killable.ts';
import { tempDir } from '../../support/temp.ts';

/** Parameters of the test. `switches`: how often a subscription is disabled or enabled, a node or a handler is killed. */
export interface Shaking {
  readonly subscriptions: number;
  readonly outcomes: number;
  readonly switches: number;
  readonly seed: string;
}

export interface Shaken {
  readonly nodeKills: number;
  readonly handlerKills: number;
  readonly disabled: number;
  /** Deliveries that came twice under one identifier. */
  readonly repeated: number;
}

interface Ready {
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string | null;
}

type Json = Record<string, unknown>;

const KIND = 'campaign.clicked';
/** Longer than the service looks back for transactions that it did not see. */
const CAUGHT_UP_MS = 75_000;

/**
 * Reports outcomes to nodes that are killed, for handlers that are killed, while subscriptions are disabled and enabled at
 * random with what they missed, and checks that each subscription got each outcome under one identifier.
 */
export async function shakeSubscriptions(nodes: Nodes, options: Shaking): Promise<Shaken> {
  const { outcomes, switches, subscriptions } = options;
  const random = seededRandom(options.seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const handlers = await Promise.all(Array.from({ length: subscriptions }, startHandler));
  const made: { id: string; handler: Handler; disabled: boolean; busy: Promise<unknown> }[] = [];
  for (const handler of handlers) {
    const body = { url: handler.url, events: [KIND], signingSecret: 'the secret of the chaos test' };
    const { id } = await nodes.call('POST', '/v1/webhooks', body);
    made.push({ id: String(id), handler, disabled: false, busy: Promise.resolve() });
  }
  const change = (of: (typeof made)[number], body: Json) => {
    // Of one subscription, one change at a time: each is repeated until it is answered.
    of.busy = of.busy.then(() => nodes.call('PATCH', `/v1/webhooks/${of.id}`, body));
    return of.busy;
  };
  const enable = (of: (typeof made)[number]) => {
    of.disabled = false;
    return change(of, { status: 'active', from: 'disabled' });
  };

  const decisions: string[] = [];
  for (let i = 0; i < outcomes; i++) {
    const { decisionId } = await nodes.call('POST', '/v1/decisioning/decide', { hashId: `user-${i}` });
    decisions.push(String(decisionId));
  }
  const counts = { nodeKills: 0, handlerKills: 0, disabled: 0, repeated: 0 };
  const disturb = () => {
    const kind = pick(['node', 'handler', 'subscription', 'subscription'] as const);
    const of = pick(made);
    if (kind === 'node') {
      nodes.kill(random());
      counts.nodeKills++;
    } else if (kind === 'handler') {
      pick(handlers).kill();
      counts.handlerKills++;
    } else if (of.disabled) void enable(of);
    else {
      of.disabled = true;
      counts.disabled++;
      void change(of, { status: 'disabled' });
    }
  };
  const every = Math.max(1, Math.floor(outcomes / switches));
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let i = lane; i < outcomes; i += 8) {
      if (i % every === 0) disturb();
      await nodes.call('POST', `/v1/messages/${decisions[i]}/outcomes`, { type: 'clicked' });
    }
  });
  await Promise.all(lanes);
  for (const of of made) await (of.disabled ? enable(of) : of.busy);
  for (const handler of handlers) handler.heal();
  const wanted = [...decisions].sort();
  const until = Date.now() + CAUGHT_UP_MS * 2;
  while (made.some(({ handler }) => handler.decisions().size < wanted.length) && Date.now() < until) {
    // What a killed handler did not get is due in minutes: an operator sends it again.
    for (const { id } of made) {
      const page = await nodes.call('GET', `/v1/webhooks/${id}/deliveries?status=pending`);
      for (const { deliveryId, attempts } of page.deliveries as { deliveryId: string; attempts: unknown[] }[])
        if (attempts.length > 0)
          await nodes.call('POST', `/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`, {});
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await nodes.settled();
  for (const { id } of made) await nodes.call('DELETE', `/v1/webhooks/${id}`);

  for (const { id, handler } of made) {
    expect([...handler.decisions()].sort(), `what ${id} got`).toEqual(wanted);
    // One identifier for each outcome, and the same bytes each time.
    expect(handler.bodies.size, `the deliveries of ${id}`).toBe(wanted.length);
    for (const [deliveryId, bodies] of handler.bodies) {
      expect(new Set(bodies).size, `the bytes of ${deliveryId}`).toBe(1);
      counts.repeated += bodies.length - 1;
    }
    handler.close();
  }
  return counts;
}

interface Handler {
  readonly url: string;
  /** The bodies that came under each identifier, also those that were not answered. */
  readonly bodies: Map<string, string[]>;
  decisions(): Set<string>;
  /** Answers nothing for a moment, and drops the connections. */
  kill(): void;
  heal(): void;
  close(): void;
}

const HANDLER_DOWN_MS = 400;

async function startHandler(): Promise<Handler> {
  const bodies = new Map<string, string[]>();
  const accepted = new Set<string>();
  let downUntil = 0;
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (Date.now() < downUntil) {
      request.socket.destroy();
      return;
    }
    open.add(response);
    response.on('close', () => open.delete(response));
    let body = '';
    request.on('error', () => {});
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { deliveryId, decisionId } = JSON.parse(body);
      bodies.set(deliveryId, [...(bodies.get(deliveryId) ?? []), body]);
      accepted.add(decisionId);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return {
    close,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bodies,
    decisions: () => accepted,
    kill: () => {
      downUntil = Date.now() + HANDLER_DOWN_MS;
      for (const response of open) response.destroy();
    },
    heal: () => {
      downUntil = 0;
    },
  };
}

export type Nodes = Awaited<ReturnType<typeof startNodes>>;

/**
 * Nodes on one database, for one shaking after the other. A killed one is started again on its port. `database`: the address
 * of an empty PostgreSQL database; undefined for SQLite.
 */
export async function startNodes(database: string | undefined, count: number) {
  const home = tempDir();
  const file = join(import.meta.dirname, '..', 'delivery-service.ts');
  const programs: Killable<Ready>[] = [];
  const urls: string[] = [];
  const ready: Promise<unknown>[] = [];
  const base = { database: database ?? join(home, 'service.db'), dataDir: home };
  let key: Ready | undefined;
  for (let i = 0; i < count; i++) {
    const program = await killable<Ready>(file);
    onTestFinished(() => program.release());
    const started = await program.start({ ...base, port: 0 });
    key ??= started;
    programs.push(program);
    urls.push(started.url);
    ready.push(Promise.resolve());
  }
  const headers = {
    authorization: `Bearer ${key!.apiKey}`,
    'x-service-workspace': key!.workspace,
    'content-type': 'application/json',
  };
  let next = 0;
  return {
    /** Kills one of them. `random` is in [0, 1). */
    kill: (random: number) => {
      const i = Math.floor(random * count);
      ready[i] = ready[i]!.then(async () => {
        await programs[i]!.kill();
        await programs[i]!.start({ ...base, port: Number(new URL(urls[i]!).port) });
      });
    },
    /** Calls one node after the other, and once more where a node was killed meanwhile. */
    call: async (method: string, path: string, body?: Json): Promise<Json> => {
      for (;;) {
        const i = next++ % count;
        await ready[i];
        try {
          const answer = await fetch(urls[i]! + path, {
            method,
            headers,
            ...(body && { body: JSON.stringify(body) }),
          });
          const text = await answer.text();
          if (answer.status === 503) continue;
          if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
          return (text === '' ? {} : JSON.parse(text)) as Json;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
    /** Waits for those that were killed. */
    settled: () => Promise.all(ready),
  };
}
