import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENDPOINTS, paramsOf } from '../../src/contract/endpoints.ts';
import { ApiError, createClient, TransportError } from '../../src/library/client.ts';
import type { ClientOptions } from '../../types/client.d.mts';
import { type Json, OPERATIONS, resolved } from '../support/openapi/document.ts';
import { startTestService } from '../support/process/service.ts';

const EVENTS = { events: [{ userId: 'u', event: 'viewed', timestamp: '2026-01-31T12:00:00Z' }] };

/** A service that answers each request in turn; the last answer is repeated. */
async function answering(...answers: ((response: ServerResponse) => void)[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    answers[Math.min(requests.length, answers.length - 1)]!(response);
    requests.push(request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, options: { baseUrl, workspace: 'ws_1', apiKey: 'sk_test_1' } satisfies ClientOptions };
}

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const cut = (response: ServerResponse) => void response.destroy();

async function connected(limits?: Record<string, number>) {
  const service = await startTestService(limits ? { limits } : {});
  const { url: baseUrl, workspace, apiKey } = service;
  return { service, client: createClient({ baseUrl, workspace, apiKey, idempotent: true }) };
}

describe('createClient', () => {
  it('has a method for every operation, and no input of theirs names two things alike', async () => {
    const { options } = await answering(cut);
    const client = createClient(options) as unknown as Record<string, unknown>;
    expect(Object.keys(client).sort()).toEqual([...Object.keys(ENDPOINTS), 'request'].sort());
    for (const { operationId, parameters = [], requestBody } of OPERATIONS.values()) {
      const queried = parameters.map(resolved).filter((one) => one.in === 'query');
      const body = requestBody && resolved(requestBody.content['application/json']!.schema);
      const names = [
        ...paramsOf(ENDPOINTS[operationId as keyof typeof ENDPOINTS].path),
        ...queried.map(({ name }) => name as string),
        ...Object.keys((body?.properties ?? {}) as Json),
      ];
      expect(new Set(names).size, operationId).toBe(names.length);
      // The input is either a body or a query.
      expect(queried.length > 0 && body !== undefined, operationId).toBe(false);
    }
  });

  it('makes the five moves, and reports a refusal with its details', async () => {
    const { client } = await connected();
    expect(await client.ingestEvents(EVENTS)).toMatchObject({ accepted: 1 });
    const { users } = await client.ingestUsers({ users: [{ userId: 'u' }] });
    const { hashId } = users[0]!;
    const { decisionId } = await client.decide({ hashId, context: { channel: 'in-app' } });
    const { messages } = await client.listMessages({ hashId });
    expect(messages.map((message) => message.decisionId)).toEqual([decisionId]);
    await client.messageOutcome({ decisionId, type: 'clicked' });
    const { notificationId } = await client.trigger({ hashId, templateId: 'welcome', channel: 'push' });
    expect(await client.getNotification({ id: notificationId })).toMatchObject({ templateId: 'welcome' });
    const { id } = await client.createWebhook({
      url: 'https://example.com/hooks',
      events: ['campaign.clicked'],
      signingSecret: 'sixteen characters',
    });
    expect(await client.updateWebhook({ id, status: 'disabled' })).toMatchObject({ status: 'disabled' });
    expect(await client.deleteWebhook({ id })).toBeUndefined();
    expect(await client.request('GET', '/v1/webhooks')).toEqual({ webhooks: [] });
    const refused = await client
      .ingestEvents({ events: [{ ...EVENTS.events[0]!, timestamp: 'today' }] })
      .catch((e) => e);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      requestId: expect.stringMatching(/^req_/),
      details: [{ index: 0, field: 'timestamp' }],
    });
  });

  it('streams events, resumes after an ID, and ends with its signal', async () => {
    const { client } = await connected();
    const stop = new AbortController();
    const stream = client.streamEvents(undefined, { signal: stop.signal })[Symbol.asyncIterator]();
    const first = stream.next();
    // The stream begins where it is opened, so an event sent too early is not in it.
    const sending = setInterval(() => void client.ingestEvents(EVENTS).catch(() => {}), 50);
    const { value } = await first;
    clearInterval(sending);
    expect(value.event).toMatchObject({ userId: 'u', event: 'viewed', receivedAt: expect.any(String) });
    stop.abort();
    expect((await stream.next()).done).toBe(true);
    const again = client.streamEvents(undefined, { lastEventId: '0' })[Symbol.asyncIterator]();
    expect((await again.next()).value.event).toMatchObject({ event: 'viewed' });
    await again.return?.();
  });

  it('retries under one idempotency key, what may be retried', async () => {
    const { requests, options } = await answering(json(503, {}), cut, json(202, { accepted: 1 }));
    const waits: number[] = [];
    const client = createClient({ ...options, onRetry: ({ waitMs }) => waits.push(waitMs) });
    expect(await client.ingestEvents(EVENTS)).toEqual({ accepted: 1 });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(waits[1]!).toBeGreaterThan(900);
    expect(requests[0]!.headers).toMatchObject({
      authorization: 'Bearer sk_test_1',
      'x-service-workspace': 'ws_1',
      'content-type': 'application/json',
    });
    await client.ingestEvents(EVENTS, { idempotencyKey: 'mine' });
    expect(requests.at(-1)!.headers['idempotency-key']).toBe('mine');
  });

  it('retries a trigger after a lost answer only if the service honours keys', async () => {
    const input = { hashId: 'h', templateId: 't', channel: 'push' } as const;
    const lost = await answering(cut, json(202, {}));
    const error = await createClient(lost.options)
      .trigger(input)
      .catch((e) => e);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ sent: true, reason: 'lost' });
    expect(lost.requests).toHaveLength(1);
    const kept = await answering(cut, json(202, { notificationId: 'n' }));
    const client = createClient({ ...kept.options, idempotent: true });
    expect(await client.trigger(input)).toEqual({ notificationId: 'n' });
    expect(kept.requests).toHaveLength(2);
  });

  it('stays under the limit of the workspace', async () => {
    const service = await startTestService({ limits: { reads: 20 }, windowMs: 1000 });
    let refused = 0;
    const counting: typeof fetch = async (...args) => {
      const answer = await fetch(...args);
      if (answer.status === 429) refused++;
      return answer;
    };
    const { url: baseUrl, workspace, apiKey } = service;
    const client = createClient({ baseUrl, workspace, apiKey, fetch: counting });
    await Promise.all(Array.from({ length: 30 }, () => client.listWebhooks()));
    expect(refused).toBe(0);
  });

  it('follows no redirect, times out, stops with its signal, and sends the key to no open address', async () => {
    const other = await answering(json(200, {}));
    const moved = await answering(
      (response) => void response.writeHead(302, { location: other.options.baseUrl }).end(),
    );
    await expect(createClient(moved.options).listWebhooks()).rejects.toMatchObject({ status: 302 });
    expect(other.requests).toHaveLength(0);
    const silent = await answering(() => {});
    const slow = createClient({ ...silent.options, timeoutMs: 50, maxRetries: 0 });
    await expect(slow.listWebhooks()).rejects.toMatchObject({ reason: 'timeout' });
    const stop = new AbortController();
    const stopped = slow.listWebhooks({}, { signal: stop.signal });
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ reason: 'aborted' });
    const base = { workspace: 'w', apiKey: 'k' };
    expect(() => createClient({ ...base, baseUrl: 'http://example.com' })).toThrow(/unencrypted/);
    expect(() => createClient({ ...base, baseUrl: 'nowhere' })).toThrow(/not a URL/);
    expect(() => createClient({ ...base, baseUrl: 'https://example.com', apiKey: '' })).toThrow(
      /needs apiKey/,
    );
    await expect(slow.getWebhook({ id: '' })).rejects.toThrow(/needs id/);
  });
});
