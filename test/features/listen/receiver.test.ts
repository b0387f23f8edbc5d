import http from 'node:http';
import net from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { signBody } from '../../../src/contract/signature.ts';
import { signedHeaders } from '../../../src/contract/signed-headers.ts';
import type { Receiver, Rejected, Verified } from '../../../src/features/listen/receiver.ts';
import {
  deliveryBody,
  post,
  SECRET,
  startHandler,
  startReceiver,
} from '../../support/listen/receiver-fixture.ts';

describe('the receiver answers', () => {
  it('200 {"received": true} once the raw bytes verify', async () => {
    const { url, reports } = await startReceiver();
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
    const { url, reports } = await startReceiver();
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    expect((await post(url, bytes)).status).toBe(200);
    expect((reports[0] as Verified).delivery.body.equals(bytes)).toBe(true);
  });

  it('401 otherwise, with a diagnosis in the report but not in the answer', async () => {
    const { url, reports } = await startReceiver();
    const answered = await post(url, deliveryBody(), {
      'x-service-signature': `sha256=${signBody(deliveryBody(), SECRET)}`,
    });
    expect(answered.status).toBe(401);
    expect(await answered.json()).toEqual({ error: 'invalid_signature' });
    expect((await post(url, deliveryBody(), {})).status).toBe(401);
    expect((await post(url, deliveryBody(), { 'x-service-signature': '0'.repeat(64) })).status).toBe(401);
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
    const { url, reports } = await startReceiver({ now: () => now });
    const explained = async (count: number, bytes = deliveryBody()) => {
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
    const { url } = await startReceiver();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const answered = await fetch(url, { method });
      expect(answered.status, method).toBe(405);
      expect(answered.headers.get('allow')).toBe('POST');
    }
  });

  it('413 over 1 MiB with and without Content-Length, and 200 at 1 MiB', async () => {
    const { url, reports } = await startReceiver();
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

  it('400 to a Host header that is not a host', async () => {
    const { url, reports } = await startReceiver();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write('POST / HTTP/1.1\r\nHost: x\\y\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(reports).toMatchObject([{ type: 'rejected', reason: 'invalid_host' }]);
  });

  it('nothing to a sender that disconnects, and continues', async () => {
    const { url, reports } = await startReceiver();
    const socket = net.connect(Number(url.port), url.hostname);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await post(url, deliveryBody())).status).toBe(200);
    expect(reports).toHaveLength(1);
  });

  it('200 with either secret during a rotation', async () => {
    const { url } = await startReceiver({
      secrets: () => [
        { name: 'new', secret: 'the-new-secret-of-16+' },
        { name: 'old', secret: SECRET },
      ],
    });
    expect((await post(url, deliveryBody())).status).toBe(200);
    const bytes = deliveryBody();
    expect((await post(url, bytes, signedHeaders('d', 0, bytes, ['the-new-secret-of-16+']))).status).toBe(
      200,
    );
  });
});

describe('duplicates', () => {
  const duplicates = async (sent: Array<{ fields?: object; id?: string }>) => {
    const { url, reports } = await startReceiver();
    for (const { fields = {}, id } of sent) {
      const bytes = deliveryBody(fields);
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
    const { url, reports } = await startReceiver({ kinds: new Set(['campaign.opened']) });
    expect((await post(url, deliveryBody())).status).toBe(200);
    expect((await post(url, deliveryBody({ type: 'campaign.opened' }))).status).toBe(200);
    expect(reports.map((report) => (report as Verified).delivery.kind)).toEqual(['campaign.opened']);
  });

  it('finishes after exactly `count` verified deliveries, not counting rejected ones', async () => {
    const { receiver, url, reports } = await startReceiver({ count: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0
          ? post(url, deliveryBody({ n }))
          : post(url, deliveryBody({ n }), { 'x-service-signature': 'no' }),
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
      void startHandler((_, response) => {
        release = () => response.end('late');
        resolve();
      }).then(async ({ url }) => {
        const started = await startReceiver({ forwardTo: [url] });
        answering = post(started.url, deliveryBody());
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
