import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { DeliveryBody } from '../../../src/contract/schemas.ts';
import { verifyBody } from '../../../src/contract/signature.ts';
import { Deliverer } from '../../../src/features/listen/deliverer.ts';
import { Probe } from '../../../src/features/listen/probe.ts';
import { Receiver } from '../../../src/features/listen/receiver.ts';
import {
  FieldError,
  makeBody,
  parseFields,
  sendSigned,
} from '../../../src/features/listen/signed-delivery.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { startTarget } from '../../support/listen/target.ts';

const SECRET = 'a-secret-of-the-send-tests';
const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function deliverer(): Deliverer {
  const made = new Deliverer();
  closing.push(() => made.close());
  return made;
}

describe('a signed delivery', () => {
  it('conforms to the contract, with fields replaced and added', () => {
    const now = Date.UTC(2026, 0, 31, 12);
    const plain = JSON.parse(
      makeBody({ kind: 'campaign.opened', fields: {}, deliveryId: 'dlv_1', now }).toString(),
    );
    expect(DeliveryBody.parse(plain)).toEqual(plain);
    const fields = parseFields([
      'contentId=a=b',
      'decisionId:=null',
      'amount:=12.50',
      'note=',
      '__proto__=x',
    ]);
    const text = makeBody({ kind: 'k', fields, deliveryId: 'dlv_1', now }).toString();
    expect(JSON.parse(text)).toMatchObject({
      type: 'k',
      contentId: 'a=b',
      decisionId: null,
      amount: 12.5,
      note: '',
    });
    expect(text).toContain('"__proto__":"x"');
  });

  it.each(['contentId', '=x', 'a:=nope'])('refuses %s', (pair) => {
    expect(() => parseFields([pair])).toThrow(FieldError);
  });

  it('is signed in both ways, under its own deliveryId', async () => {
    const target = await startTarget();
    closing.push(() => target.close());
    const body = makeBody({ kind: 'campaign.opened', fields: {}, deliveryId: 'dlv_7', now: Date.now() });
    const result = await sendSigned({
      to: new URL(target.url),
      body,
      secret: SECRET,
      deliveryId: 'unused',
      now: Date.now(),
      deliverer: deliverer(),
    });
    expect(result.status).toBe(200);
    const got = target.received[0]!;
    expect(verifyBody(got.body, SECRET, got.headers['x-service-signature'] as string)).toBe(true);
    expect(got.headers['webhook-id']).toBe('dlv_7');
    new Webhook(SECRET, { format: 'raw' }).verify(got.body.toString(), got.headers as Record<string, string>);
  });

  it('takes the answer of a handler that does not read the body, and says when an answer is cut off', async () => {
    const early = http.createServer((_, response) => {
      response.writeHead(401, { connection: 'close' }).end('{}');
    });
    const cut = http.createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    });
    const results = [];
    for (const server of [early, cut]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => server.close());
      const { port } = server.address() as AddressInfo;
      const body = Buffer.alloc(64 * 1024, 'x');
      const options = { body, secret: SECRET, deliveryId: 'd', now: 0, deliverer: deliverer() };
      results.push(await sendSigned({ to: new URL(`http://127.0.0.1:${port}/`), ...options }));
    }
    expect(results).toMatchObject([{ status: 401 }, { status: null, code: 'ECONNRESET' }]);
  });

  it('times out on a slow handler', async () => {
    const target = await startTarget(() => {});
    closing.push(() => target.close());
    const result = await sendSigned({
      to: new URL(target.url),
      body: Buffer.from('{}'),
      secret: SECRET,
      deliveryId: 'd',
      now: 0,
      deliverer: deliverer(),
      deadlineMs: 50,
    });
    expect(result).toMatchObject({
      status: null,
      code: 'TIMEOUT',
      error: 'no complete answer within 0.05 s',
    });
  });
});

describe('the probe', () => {
  const settings = () => ({ clock: systemClock, deliverer: deliverer(), timeoutMs: 300 });

  it('arrives at the receiver, which does not report it', async () => {
    const probe = new Probe();
    const reports: unknown[] = [];
    const receiver = new Receiver({
      secrets: () => [{ name: 'given', secret: SECRET }],
      others: [],
      now: Date.now,
      onReport: (report) => reports.push(report),
      isOwnProbe: probe.isOwnProbe,
    });
    closing.push(() => receiver.stop());
    const url = await receiver.listen(0, '127.0.0.1');
    expect(await probe.send(url, SECRET, settings())).toBeUndefined();
    expect(reports).toEqual([]);
    // The probe of another listener is an ordinary delivery.
    expect(await new Probe().send(url, SECRET, settings())).toContain('did not arrive here');
    expect(reports.length).toBeGreaterThan(0);
  });

  it('detects another server at the address', async () => {
    const target = await startTarget((_, response) => response.end('{"received": true}'));
    closing.push(() => target.close());
    expect(await new Probe().send(new URL(target.url), SECRET, settings())).toBe(
      'it answered 200, but the probe did not arrive here',
    );
  });

  it('reports why an address does not answer', async () => {
    const target = await startTarget();
    await target.close();
    expect(await new Probe().send(new URL(target.url), SECRET, settings())).toContain('ECONNREFUSED');
  });
});
