import { createHash, createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyBody } from '../../../../src/contract/signature.ts';
import { CASES } from '../../../../src/features/listen/conformance/cases.ts';
import {
  conformance,
  HandlerUnreachable,
  type Row,
} from '../../../../src/features/listen/conformance/run.ts';
import { Deliverer } from '../../../../src/features/listen/deliverer.ts';
import { memoryReplayWindow, verifyWebhook, WebhookError } from '../../../../src/library/webhooks.ts';
import { startHandler } from '../../../support/listen/handler-process.ts';
import { type Received, startTarget } from '../../../support/listen/target.ts';
import { ROOT } from '../../../support/process/run-svc.ts';

const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';
const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function run(url: URL, deadlineMs?: number): Promise<Row[]> {
  const deliverer = new Deliverer();
  closing.push(() => deliverer.close());
  const rows: Row[] = [];
  let n = 0;
  const newId = () => `dlv_${n++}`;
  const options = { url, secret: SECRET, deliverer, now: Date.now, newId, slowPauseMs: 10 };
  for await (const row of conformance(deadlineMs === undefined ? options : { ...options, deadlineMs }))
    rows.push(row);
  return rows;
}

const failed = (rows: Row[]) => rows.filter(({ passed }) => !passed).map(({ name }) => name);
const path = (relative: string) => join(ROOT, relative);

/** Runs the cases against a handler that answers with the status of a function. */
async function tryHandler(status: (request: Received) => number, deadlineMs?: number): Promise<Row[]> {
  const target = await startTarget((request, response: http.ServerResponse) => {
    response.statusCode = status(request);
    response.end('{}');
  });
  closing.push(() => target.close());
  return run(new URL(target.url), deadlineMs);
}

const signatureOf = ({ headers }: Received) => String(headers['x-service-signature'] ?? '');
const hex = (bytes: Buffer | string, key: string | Buffer = SECRET) =>
  createHmac('sha256', key).update(bytes).digest('hex');
const right = (request: Received) => (verifyBody(request.body, SECRET, signatureOf(request)) ? 200 : 401);

describe('real handlers', () => {
  it('the JSON parser of express is identified as the mistake', async () => {
    const handler = await startHandler(
      process.execPath,
      [path('test/support/listen/handlers/express-json.mjs')],
      SECRET,
    );
    closing.push(() => handler.stop());
    const rows = await run(handler.url);
    expect(failed(rows)).toEqual(['other spelling']);
    expect(rows[1]).toMatchObject({
      status: 401,
      mistake: 're-serialised-body',
      why: expect.stringContaining('JSON.stringify'),
      fix: { node: expect.stringContaining('express.raw') },
    });
  });

  it.each([
    ['node', process.execPath, ['examples/handlers/node/server.mjs']],
    ['python', 'python3', ['examples/handlers/python/server.py']],
  ])('the %s handler of examples/ passes', async (_, command, [script]) => {
    const handler = await startHandler(command, [path(script as string)], SECRET);
    closing.push(() => handler.stop());
    const rows = await run(handler.url);
    expect(rows.map(({ name, status }) => [name, status])).toEqual(
      CASES.map(({ name, expects }) => [name, expects === 'accepted' ? 200 : 401]),
    );
    expect(failed(rows)).toEqual([]);
  });
});

describe('a handler that', () => {
  it('is correct passes every row', async () => {
    expect(failed(await tryHandler(right))).toEqual([]);
  });

  it('does not verify fails the rows that it must refuse', async () => {
    const rows = await tryHandler(() => 200);
    expect(failed(rows)).toEqual(['tampered', 'wrong secret', 'missing signature', 'malformed signature']);
    expect(rows[2]).toMatchObject({
      why: expect.stringContaining('must refuse'),
      fix: { go: expect.stringContaining('hmac.Equal') },
    });
  });

  it.each<[string, (body: Buffer) => string]>([
    ['secret-decoded-from-hex', (body) => hex(body, Buffer.from(SECRET, 'hex'))],
    ['secret-with-newline', (body) => hex(body, `${SECRET}\n`)],
    ['unset-secret', (body) => hex(body, 'undefined')],
    ['sha256-prefix', (body) => `sha256=${hex(body)}`],
    ['base64-signature', (body) => createHmac('sha256', SECRET).update(body).digest('base64')],
    ['upper-case-hex', (body) => hex(body).toUpperCase()],
    ['trailing-newline', (body) => hex(`${body}\n`)],
    ['empty-body', () => hex('')],
    ['stringified-object', () => hex('[object Object]')],
    ['pretty-printed-body', (body) => hex(JSON.stringify(JSON.parse(body.toString()), null, 2))],
    ['plain-hash', (body) => createHash('sha256').update(body).digest('hex')],
  ])('makes the mistake %s is diagnosed with it', async (name, compute) => {
    const rows = await tryHandler((request) => (compute(request.body) === signatureOf(request) ? 200 : 401));
    expect(rows[0]).toMatchObject({ name: 'valid', passed: false, status: 401, mistake: name });
  });

  it('has another secret is advised to check it', async () => {
    const rows = await tryHandler((request) =>
      hex(request.body, 'another one') === signatureOf(request) ? 200 : 401,
    );
    expect(rows[0]).toMatchObject({ passed: false, why: expect.stringContaining('same secret') });
    expect(rows[0]).not.toHaveProperty('mistake');
    for (const row of rows.filter(({ passed, name }) => !passed && name !== 'valid')) {
      expect(row).toMatchObject({ why: expect.stringContaining('like the valid delivery') });
      expect(row).not.toHaveProperty('fix');
    }
  });

  it('throws on a signature of another length is advised how to compare', async () => {
    const rows = await tryHandler((request) => {
      const given = signatureOf(request);
      return given !== '' && given.length !== 64 ? 500 : right(request);
    });
    expect(failed(rows)).toEqual(['malformed signature']);
    expect(rows[5]).toMatchObject({ status: 500, fix: { node: expect.stringContaining('length') } });
  });

  it('a handler with a replay window passes: a retry is a new message with the same deliveryId', async () => {
    const replays = memoryReplayWindow();
    const messages: string[] = [];
    const target = await startTarget(async (request, response: http.ServerResponse) => {
      const { headers, body } = request;
      messages.push(`${headers['webhook-id']}.${headers['webhook-timestamp']}`);
      const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const refused = await verifyWebhook(body, given, SECRET, { replays }).catch((error) => error);
      response.writeHead(refused instanceof WebhookError ? refused.status : 204).end();
    });
    closing.push(() => target.close());
    expect(failed(await run(new URL(target.url)))).toEqual([]);
    const ids = messages.map((message) => message.split('.')[0]);
    expect(new Set(messages).size).toBe(messages.length);
    expect(new Set(ids).size).toBe(messages.length - 1);
  });

  it('refuses repeated, old, unknown or large deliveries fails those rows', async () => {
    const seen = new Set<string>();
    let newest = '';
    const rows = await tryHandler((request) => {
      if (right(request) === 401) return 401;
      const event = JSON.parse(request.body.toString());
      if (event.type === 'campaign.imagined') return 400;
      if (request.body.length > 60_000) return 413;
      if (seen.has(event.deliveryId)) return 409;
      seen.add(event.deliveryId);
      if (event.occurredAt < newest) return 422;
      newest = event.occurredAt;
      return 204;
    });
    expect(failed(rows)).toEqual(['repeated delivery', 'out of order', 'unknown kind', 'large']);
    for (const { passed, why } of rows) expect(passed ? 'why not' : why).toMatch(/./);
  });

  it('reads only the first chunk fails with a slow sender', async () => {
    const server = http.createServer((request, response) => {
      request.once('data', (chunk: Buffer) => {
        const ok = verifyBody(chunk, SECRET, String(request.headers['x-service-signature'] ?? ''));
        response.writeHead(ok ? 200 : 401).end();
        request.resume();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as AddressInfo;
    expect(failed(await run(new URL(`http://127.0.0.1:${port}/`)))).toContain('slow');
  });

  it('never answers fails each row, and one that cannot be reached ends the run', async () => {
    const target = await startTarget(() => {});
    const rows = await run(new URL(target.url), 50);
    expect(failed(rows)).toHaveLength(CASES.length);
    expect(rows[0]).toMatchObject({ status: null, why: expect.stringContaining('no complete answer') });
    await target.close();
    await expect(run(new URL(target.url))).rejects.toThrow(HandlerUnreachable);
  });
});
