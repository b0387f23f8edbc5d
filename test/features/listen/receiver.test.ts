import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliveryHeaders } from '../../../src/contract/delivery-headers.ts';
import { signBody } from '../../../src/contract/signature.ts';
import { Deliverer } from '../../../src/features/listen/deliverer.ts';
import { Forwarder } from '../../../src/features/listen/forwarder.ts';
import {
  Receiver,
  type ReceiverOptions,
  type Rejected,
  type Report,
  type Verified,
} from '../../../src/features/listen/receiver.ts';
import { parseRoutes } from '../../../src/features/listen/routes.ts';
import { startTarget, type Target } from '../../support/listen/target.ts';

const SECRET = 'a-secret-of-the-receiver-tests';
const closing: Array<() => Promise<unknown> | undefined> = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: Partial<ReceiverOptions> & { forwardTo?: string[] } = {}) {
  const reports: Report[] = [];
  const notices: string[] = [];
  const deliverer = new Deliverer();
  const forwarder = options.forwardTo
    ? new Forwarder(parseRoutes(options.forwardTo), deliverer, {
        notice: (text) => notices.push(text),
        refused: ({ href }, status) => notices.push(`${href} refused with ${status}`),
      })
    : undefined;
  const receiver = new Receiver({
    secrets: () => [{ name: 'given', secret: SECRET }],
    others: [],
    now: () => Date.UTC(2026, 0, 31, 12),
    onReport: (report) => reports.push(report),
    ...(forwarder ? { forward: (delivery) => forwarder.forward(delivery) } : {}),
    ...options,
  });
  const url = await receiver.listen(0, '127.0.0.1');
  closing.push(async () => deliverer.close());
  closing.push(() => receiver.stop());
  return { receiver, url, reports, notices };
}

async function target(...args: Parameters<typeof startTarget>): Promise<Target> {
  const started = await startTarget(...args);
  closing.push(() => started.close());
  return started;
}

const body = (fields: object = {}) =>
  Buffer.from(
    JSON.stringify({ type: 'campaign.clicked', decisionId: 'dec_1', contentId: 'c', hashId: 'h', ...fields }),
  );

function post(
  url: URL,
  bytes: Buffer,
  headers: Record<string, string> = { 'x-service-signature': signBody(bytes, SECRET) },
) {
  return fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers });
}

describe('the receiver answers', () => {
  it('200 {"received": true} once the raw bytes verify', async () => {
    const { url, reports } = await start();
    const bytes = Buffer.from('{ "type" : "campaign.opened",\n"hashId":"caf\\u00e9", "n": 1.0 }\n');
    const answered = await post(url, bytes);
    expect(answered.status).toBe(200);
    expect(await answered.json()).toEqual({ received: true });
    expect(reports).toHaveLength(1);
    const { delivery, duplicate } = reports[0] as Verified;
    expect(delivery.body.equals(bytes)).toBe(true);
    expect(delivery.kind).toBe('campaign.opened');
    expect(duplicate).toBe(false);
  });

  it('200 to a body that is not UTF-8, byte for byte', async () => {
    const { url, reports } = await start();
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    expect((await post(url, bytes)).status).toBe(200);
    expect((reports[0] as Verified).delivery.body.equals(bytes)).toBe(true);
  });

  it('401 otherwise, with a diagnosis in the report but not in the answer', async () => {
    const { url, reports } = await start();
    const answered = await post(url, body(), { 'x-service-signature': `sha256=${signBody(body(), SECRET)}` });
    expect(answered.status).toBe(401);
    expect(await answered.json()).toEqual({ error: 'invalid_signature' });
    expect((await post(url, body(), {})).status).toBe(401);
    expect((await post(url, body(), { 'x-service-signature': '0'.repeat(64) })).status).toBe(401);
    await vi.waitFor(() => expect(reports).toHaveLength(3));
    expect(
      reports.map((report) => [(report as Rejected).reason, (report as Rejected).diagnosis?.name]),
    ).toEqual([
      ['malformed_signature', 'sha256-prefix'],
      ['missing_signature', 'missing-header'],
      ['signature_mismatch', 'unknown'],
    ]);
  });

  it('401 to a flood, with at most fifty diagnoses per second and fewer for large bodies', async () => {
    let now = 10_000;
    const { url, reports } = await start({ now: () => now });
    const explained = async (count: number, bytes = body()) => {
      reports.length = 0;
      for (let n = 0; n < count; n++) {
        expect((await post(url, bytes, { 'x-service-signature': 'nothing' })).status).toBe(401);
        await vi.waitFor(() => expect(reports).toHaveLength(n + 1)); // otherwise the queue overflows
      }
      const named = reports.filter((report) => (report as Rejected).diagnosis?.name === 'not-a-signature');
      return [named.length, reports.length];
    };
    expect(await explained(60)).toEqual([50, 60]);
    now += 1000;
    expect(await explained(4, Buffer.alloc(1024 * 1024))).toEqual([2, 4]);
    now = 0; // the clock was set back
    expect(await explained(1)).toEqual([1, 1]);
  });

  it('405 to other methods', async () => {
    const { url } = await start();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const answered = await fetch(url, { method });
      expect(answered.status, method).toBe(405);
      expect(answered.headers.get('allow')).toBe('POST');
    }
  });

  it('413 over 1 MiB with and without Content-Length, and 200 at 1 MiB', async () => {
    const { url, reports } = await start();
    const most = Buffer.alloc(1024 * 1024, 'x');
    expect((await post(url, most)).status).toBe(200);
    const over = Buffer.alloc(1024 * 1024 + 1, 'x');
    expect((await post(url, over)).status).toBe(413);
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(
        url,
        { method: 'POST', headers: { 'transfer-encoding': 'chunked' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      request.end(over);
    });
    expect(chunked).toBe(413);
    expect(reports.slice(1).map((report) => (report as Rejected).reason)).toEqual([
      'payload_too_large',
      'payload_too_large',
    ]);
  });

  it('nothing to a sender that disconnects, and continues', async () => {
    const { url, reports } = await start();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await post(url, body())).status).toBe(200);
    expect(reports).toHaveLength(1);
  });

  it('200 with either secret during a rotation', async () => {
    const { url } = await start({
      secrets: () => [
        { name: 'new', secret: 'the-new-secret-of-16+' },
        { name: 'old', secret: SECRET },
      ],
    });
    expect((await post(url, body())).status).toBe(200);
    const bytes = body();
    expect((await post(url, bytes, deliveryHeaders('d', 0, bytes, ['the-new-secret-of-16+']))).status).toBe(
      200,
    );
  });
});

describe('duplicates', () => {
  const duplicates = async (sent: Array<{ fields?: object; id?: string }>) => {
    const { url, reports } = await start();
    for (const { fields = {}, id } of sent) {
      const bytes = body(fields);
      await post(url, bytes, {
        'x-service-signature': signBody(bytes, SECRET),
        ...(id ? { 'webhook-id': id } : {}),
      });
    }
    return reports.map((report) => (report as Verified).duplicate);
  };

  it('are detected by webhook-id', async () => {
    expect(
      await duplicates([
        { id: 'a', fields: { n: 1 } },
        { id: 'a', fields: { n: 2 } },
      ]),
    ).toEqual([false, true]);
    expect(await duplicates([{ id: 'a' }, { id: 'b' }])).toEqual([false, false]);
  });

  it('else by deliveryId, even if only one of the two has a webhook-id', async () => {
    const fields = { deliveryId: 'dlv_1' };
    expect(await duplicates([{ fields: { ...fields, n: 1 } }, { fields: { ...fields, n: 2 } }])).toEqual([
      false,
      true,
    ]);
    expect(await duplicates([{ fields, id: 'dlv_x' }, { fields }])).toEqual([false, true]);
    expect(await duplicates([{ fields }, { fields: { deliveryId: 'dlv_2' } }])).toEqual([false, false]);
  });

  it('else by the bytes', async () => {
    expect(await duplicates([{}, {}, { fields: { n: 1 } }])).toEqual([false, true, false]);
  });
});

describe('kinds and count', () => {
  it('answers and ignores other kinds', async () => {
    const { url, reports } = await start({ kinds: new Set(['campaign.opened']) });
    expect((await post(url, body())).status).toBe(200);
    expect((await post(url, body({ type: 'campaign.opened' }))).status).toBe(200);
    expect(reports.map((report) => (report as Verified).delivery.kind)).toEqual(['campaign.opened']);
  });

  it('finishes after exactly `count` verified deliveries, not counting rejected ones', async () => {
    const { receiver, url, reports } = await start({ count: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0 ? post(url, body({ n })) : post(url, body({ n }), { 'x-service-signature': 'no' }),
      ),
    ).then((answers) => answers.map((answered) => answered.status));
    await receiver.finished;
    expect(reports.filter(({ type }) => type === 'event')).toHaveLength(3);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect(statuses.filter((status) => status === 401)).toHaveLength(6);
  });

  it('completes requests in flight when it stops', async () => {
    let release: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      void target((_, response) => {
        release = () => response.end('late');
        resolve();
      }).then(async ({ url }) => {
        const started = await start({ forwardTo: [url] });
        answering = post(started.url, body());
        receiver = started.receiver;
      });
    });
    let answering: Promise<Response> | undefined;
    let receiver: Receiver | undefined;
    await reached;
    const stopped = receiver?.stop();
    release();
    expect((await answering)?.status).toBe(200);
    await stopped;
  });
});

describe('forwarding', () => {
  it('forwards the exact bytes and headers, and relays status, body and Retry-After', async () => {
    const bytes = Buffer.from('{"type":"campaign.clicked" , "n":1e2}\n');
    const handler = await target((_, response) => {
      response.writeHead(503, { 'retry-after': '7', 'content-type': 'text/plain' });
      response.end('later');
    });
    const { url, reports } = await start({ forwardTo: [`${handler.url}hook?a=b=c`] });
    const headers = deliveryHeaders('dlv_9', Date.now(), bytes, [SECRET]);
    const answered = await post(url, bytes, headers);
    expect([answered.status, await answered.text(), answered.headers.get('retry-after')]).toEqual([
      503,
      'later',
      '7',
    ]);
    const [got] = handler.received;
    expect(got?.path).toBe('/hook?a=b=c');
    expect(got?.body.equals(bytes)).toBe(true);
    expect(got?.headers).toMatchObject({
      ...headers,
      host: new URL(handler.url).host,
      'content-length': String(bytes.length),
    });
    expect((reports[0] as Verified).forwarded).toMatchObject({
      url: `${handler.url}hook?a=b=c`,
      status: 503,
    });
  });

  it('relays a 500 to the sender, and does not forward unverified deliveries', async () => {
    const handler = await target((_, response) => response.writeHead(500).end());
    const { url } = await start({ forwardTo: [handler.url] });
    expect((await post(url, body())).status).toBe(500);
    expect((await post(url, body(), { 'x-service-signature': 'no' })).status).toBe(401);
    expect(handler.received).toHaveLength(1);
  });

  it('selects one of three routes by kind', async () => {
    const [clicked, opened, rest] = [await target(), await target(), await target()];
    const { url } = await start({
      forwardTo: [`campaign.clicked=${clicked.url}`, `campaign.opened=${opened.url}`, rest.url],
    });
    for (const type of [
      'campaign.opened',
      'campaign.clicked',
      'decision.actioned',
      'brand.new',
      'campaign.opened',
    ]) {
      expect((await post(url, body({ type }))).status).toBe(200);
    }
    const kinds = (handler: Target) => handler.received.map(({ body: b }) => JSON.parse(b.toString()).type);
    expect(kinds(clicked)).toEqual(['campaign.clicked']);
    expect(kinds(opened)).toEqual(['campaign.opened', 'campaign.opened']);
    expect(kinds(rest)).toEqual(['decision.actioned', 'brand.new']);
  });

  it('answers a kind without a route itself', async () => {
    const opened = await target();
    const { url, reports } = await start({ forwardTo: [`campaign.opened=${opened.url}`] });
    expect((await post(url, body())).status).toBe(200);
    expect(reports[0]).toMatchObject({ type: 'event', forwarded: undefined });
  });

  it('answers 502 while the handler is down, and reports once that it is down and that it is back', async () => {
    const first = await target();
    const { port } = new URL(first.url);
    await first.close();
    const { url, reports, notices } = await start({ forwardTo: [first.url] });
    for (let n = 0; n < 3; n++) expect((await post(url, body({ n }))).status).toBe(502);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(first.url);
    expect((reports[0] as Verified).forwarded).toMatchObject({
      status: 502,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await target(undefined, Number(port));
    expect((await post(url, body())).status).toBe(200);
    expect(notices).toEqual([
      expect.stringContaining('does not answer'),
      expect.stringContaining('answers again'),
    ]);
  });

  it.each([401, 403])(
    'reports once for each target that it refuses verified deliveries with %i',
    async (status) => {
      const answers = [status, 200, status];
      const refusing = await target((_, response) => response.writeHead(answers.shift()!).end());
      const other = await target((_, response) => response.writeHead(status).end());
      const { url, notices } = await start({ forwardTo: [refusing.url, `campaign.opened=${other.url}`] });
      for (let n = 0; n < 3; n++) await post(url, body({ n }));
      await post(url, body({ type: 'campaign.opened' }));
      expect(notices).toEqual([refusing, other].map((one) => `${one.url} refused with ${status}`));
    },
  );

  it('retries on a connection that the handler closed', async () => {
    const handler = await target((_, response) => {
      response.end('{}');
      response.socket?.end();
    });
    const { url } = await start({ forwardTo: [handler.url] });
    for (let n = 0; n < 20; n++) expect((await post(url, body({ n }))).status).toBe(200);
  });
});
