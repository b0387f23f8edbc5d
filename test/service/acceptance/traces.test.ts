import { expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../src/service/platform/log.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { json, knownUser, receiver, subscribe, until } from '../../support/process/webhooks-service.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = '00f067aa0ba902b7';
const traceparent = `00-${trace}-${caller}-01`;

/** What a header says, with the span in place of the caller's. */
const spanOf = (header: string | undefined) =>
  new RegExp(`^00-${trace}-([0-9a-f]{16})-01$`).exec(header ?? '')?.[1];

async function clicked(service: TestService, headers: Record<string, string>): Promise<void> {
  const hashId = await knownUser(service);
  const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
  const path = `/v1/messages/${decisionId}/outcomes`;
  await json(service.fetch(path, { body: { type: 'clicked' }, headers }), 202);
}

it('logs each request with the template of its path, and the trace of its caller', async () => {
  const lines: [string, Record<string, unknown>][] = [];
  const log: Log = (level, message, fields = {}) => {
    if (message === 'request') lines.push([level, fields]);
  };
  const service = await startTestService({ log });
  const hashId = 'a'.repeat(64);
  const answer = await service.fetch(`/v1/users/${hashId}`, { headers: { traceparent } });
  const requestId = answer.headers.get('x-service-request-id');
  await service.fetch('/v1/nothing-of/ada@example.com', { headers: { traceparent: 'ada@example.com' } });
  await service.fetch('/v1/events', { method: 'DELETE' });
  expect(lines).toEqual([
    [
      'info',
      {
        method: 'GET',
        path: '/v1/users/{hashId}',
        status: 404,
        durationMs: expect.any(Number),
        requestId,
        traceId: trace,
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ],
    ['info', expect.objectContaining({ path: 'unknown', status: 404 })],
    ['info', expect.objectContaining({ method: 'DELETE', path: 'unknown', status: 405 })],
  ]);
  expect(lines[0]![1].spanId).not.toBe(caller);
  expect(JSON.stringify(lines)).not.toContain('ada@');
});

it('passes a trace on with a delivery, and with its retry after a restart', async () => {
  let status = 503;
  const target = await receiver((response) => void response.writeHead(status).end());
  const first = await startTestService({ allowLoopbackWebhooks: true });
  await subscribe(first, target.url);
  await clicked(first, { traceparent });
  const [refused] = await target.waitFor(1);
  await until(
    async () =>
      (
        await first.platform.store.read((tx) =>
          tx.sql.all('SELECT 1 FROM delivery WHERE claimed = 0 AND attempts >= 1'),
        )
      ).length === 1,
  );
  await first.close();
  status = 204;
  const second = await startTestService({ database: first.database, allowLoopbackWebhooks: true });
  const [, again] = await target.waitFor(2);
  const spans = [refused, again].map((got) => spanOf(got!.headers.traceparent));
  expect(spans).toEqual([expect.any(String), expect.any(String)]);
  expect(new Set([caller, ...spans]).size).toBe(3);
  await clicked(second, { traceparent: 'not one' });
  // Whenever it comes: a further retry on a busy machine has one.
  await until(async () => target.received.some(({ headers }) => !('traceparent' in headers)));
});

it('passes a trace on with the call of a provider, and with its retry after a restart', async () => {
  let status = 429;
  const target = await receiver((response) => void response.writeHead(status).end());
  const environment = { SVC_SMS_URL: target.url, SVC_PROVIDER_SECRET: 'a secret of sixteen' };
  const options = { environment };
  const first = await startTestService(options);
  const hashId = await knownUser(first);
  const body = { hashId, templateId: 'order_update', channel: 'sms', variables: { orderId: 'A-1' } };
  await json(first.fetch('/v1/inform/trigger', { body, headers: { traceparent } }), 202);
  await target.waitFor(1);
  await first.close();
  status = 200;
  const second = await startTestService({ ...options, database: first.database });
  onTestFinished(() => second.close(0));
  const got = await target.waitFor(2);
  const spans = got.slice(0, 2).map(({ headers }) => spanOf(headers.traceparent));
  expect(new Set([caller, undefined, ...spans]).size).toBe(4);
});
