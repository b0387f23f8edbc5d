import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client/client.ts';
import { Pacers } from '../../src/client/pacers.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { type Answer, startReceiver } from '../support/peers/receiver.ts';
import { startTestService } from '../support/process/service.ts';

const event = { userId: 'u1', event: 'opened', timestamp: '2026-01-01T00:00:00Z' };
const trigger = { hashId: 'h', templateId: 't', channel: 'sms' } as const;

/** A clock that records sleeps instead of waiting. */
function recordingClock() {
  const slept: number[] = [];
  const clock: Clock = { now: () => Date.now(), sleep: async (ms) => void slept.push(ms) };
  return { clock, slept };
}

function clientOf(options: Partial<ClientOptions> & { baseUrl: string }) {
  const client = createClient({
    workspace: 'ws_1',
    apiKey: 'sk_test_0123456789',
    idempotent: false,
    timeoutMs: 5000,
    maxRetries: 5,
    clock: systemClock,
    random: () => 0.5,
    userAgent: 'test',
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

async function scripted(...answers: Answer[]) {
  let next = 0;
  const receiver = await startReceiver((response, got, request) =>
    answers[Math.min(next++, answers.length - 1)]!(response, got, request),
  );
  onTestFinished(() => receiver.close());
  return receiver;
}

const ok: Answer = (response) => void response.writeHead(200).end('{}');
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end();
const torn: Answer = (response) => void response.destroy();

describe('retries', () => {
  it('obeys Retry-After after a 429 for any request', async () => {
    const { url, received } = await scripted(status(429, { 'retry-after': '45' }), ok);
    const { clock, slept } = recordingClock();
    await clientOf({ baseUrl: url, clock }).call('trigger', { body: trigger });
    expect(slept).toEqual([45_250]);
    const [first, second] = received;
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    expect(second!.body).toEqual(first!.body);
  });

  it('retries events after a lost response, and a notification only if keys are supported', async () => {
    const events = await scripted(torn, status(503), ok);
    const { clock } = recordingClock();
    await clientOf({ baseUrl: events.url, clock }).call('ingestEvents', { body: { events: [event] } });
    expect(new Set(events.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(events.received).toHaveLength(3);

    for (const answer of [torn, status(503)]) {
      const once = await scripted(answer);
      await expect(
        clientOf({ baseUrl: once.url, clock }).call('trigger', { body: trigger }),
      ).rejects.toThrow();
      expect(once.received).toHaveLength(1);
      const keyed = await scripted(answer, ok);
      await clientOf({ baseUrl: keyed.url, clock, idempotent: true }).call('trigger', { body: trigger });
      expect(keyed.received).toHaveLength(2);
    }
  });

  it('fails with the last response after the last retry', async () => {
    const { url, received } = await scripted(status(429));
    const { clock } = recordingClock();
    const call = clientOf({ baseUrl: url, clock, maxRetries: 2 }).call('listWebhooks');
    await expect(call).rejects.toMatchObject({ status: 429 });
    expect(received).toHaveLength(3);
  });

  it('retries after a failed connection', async () => {
    const { url, close } = await startReceiver();
    await close();
    const { clock, slept } = recordingClock();
    const call = clientOf({ baseUrl: url, clock, maxRetries: 3 }).call('trigger', { body: trigger });
    await expect(call).rejects.toMatchObject({ reason: 'unreachable', sent: false });
    expect(slept).toEqual([750, 1250, 2250]);
  });
});

describe('pacing', () => {
  it('stays under the limit of a real service and learns its window', async () => {
    const service = await startTestService({ limits: { ingest: 10 }, windowMs: 1000 });
    const statuses: number[] = [];
    const client = clientOf({
      baseUrl: service.url,
      workspace: service.workspace,
      apiKey: service.apiKey,
      pacers: new Pacers({ clock: systemClock, random: () => 0.5 }),
      onLimit: (_, answer) => void statuses.push(answer.status),
    });
    await Promise.all(
      Array.from({ length: 14 }, () => client.call('ingestEvents', { body: { events: [event] } })),
    );
    expect(statuses).toEqual(Array(14).fill(202));
  });

  it('aborts a request that waits for the limit, and reports that it was not sent', async () => {
    const { url } = await scripted(status(429, { 'retry-after': '3600' }));
    const client = clientOf({
      baseUrl: url,
      maxRetries: 0,
      pacers: new Pacers({ clock: systemClock, random: () => 0.5 }),
    });
    await expect(client.call('listWebhooks')).rejects.toMatchObject({ status: 429 });
    const giveUp = new AbortController();
    const call = client.call('listWebhooks', { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ reason: 'aborted', sent: false });
  });
});
