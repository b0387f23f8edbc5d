import { describe, expect, it } from 'vitest';
import { events } from '../../../src/service/events/store/events.ts';
import { startTestService } from '../../support/process/service.ts';

const event = { userId: 'u1', event: 'opened', timestamp: '2026-01-01T00:00:00Z' };

describe('POST /v1/events', () => {
  it('stores events unchanged, including big integers and number spelling', async () => {
    const service = await startTestService();
    const raw =
      '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z","properties":{"n":12345678901234567890,"x":1.50,"s":"\\u00e9😀"}}]}';
    const answer = await service.fetch('/v1/events', { raw });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ accepted: 1, requestId: expect.stringMatching(/^req_/) });
    const { rows: stored } = await service.platform.store.read((tx) =>
      events.after(tx, service.workspace, 0, 10),
    );
    expect(stored).toMatchObject([
      {
        userId: 'u',
        event: 'e',
        timestamp: '2026-01-01T00:00:00Z',
        properties: '{"n":12345678901234567890,"x":1.50,"s":"\\u00e9😀"}',
      },
    ]);
  });

  it('rejects a whole batch for one invalid event and names it', async () => {
    const service = await startTestService();
    const answer = await service.fetch('/v1/events', {
      body: { events: [event, { ...event, event: 5 }, { ...event, timestamp: '2026-02-30T00:00:00Z' }] },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: 'invalid_request',
      code: 'INVALID_REQUEST',
      details: [
        { index: 1, field: 'event', message: 'must be a string' },
        { index: 2, field: 'timestamp' },
      ],
    });
    expect(
      (await service.platform.store.read((tx) => events.after(tx, service.workspace, 0, 10))).rows,
    ).toEqual([]);
  });

  it.each([
    ['no events', { events: [] }, 400],
    ['1,001 events', { events: Array(1001).fill(event) }, 400],
    ['1,000 events', { events: Array(1000).fill(event) }, 202],
    ['another top-level field', { events: [event], more: 1 }, 400],
    ['a nested property', { events: [{ ...event, properties: { a: { b: 1 } } }] }, 400],
    ['an unknown field', { events: [{ ...event, colour: 'red' }] }, 400],
    ['a name with U+0000', { events: [{ ...event, userId: 'a\u0000b' }] }, 400],
    ['a name of 257 characters', { events: [{ ...event, userId: 'x'.repeat(257) }] }, 400],
  ])('answers %s correctly', async (_, body, status) => {
    const service = await startTestService();
    expect((await service.fetch('/v1/events', { body })).status).toBe(status);
  });
});

describe('requests that are not well-formed', () => {
  it('get their error and a request id', async () => {
    const service = await startTestService();
    const cases: Array<[Parameters<typeof service.fetch>, number, string]> = [
      [['/v1/events', { raw: '{"events":' }], 400, 'invalid_request'],
      [['/v1/events', { raw: new Uint8Array([0xff, 0xfe]) }], 400, 'invalid_request'],
      [['/v1/events', { raw: 'x'.repeat(8 * 1024 * 1024 + 1) }], 413, 'payload_too_large'],
      [
        ['/v1/events', { raw: '{}', headers: { 'content-type': 'text/plain' } }],
        415,
        'unsupported_media_type',
      ],
      [['/v1/events', { raw: '{}', headers: { 'content-encoding': 'br' } }], 415, 'unsupported_media_type'],
      [['/v1/events', { raw: '{}', headers: { authorization: 'Bearer nobody' } }], 401, 'unauthorized'],
      [['/v1/events', { raw: '{}', headers: { 'x-service-workspace': 'ws_other' } }], 403, 'forbidden'],
      [['/v1/events'], 405, 'method_not_allowed'],
      [['/v1/nothing', { raw: '{}' }], 404, 'not_found'],
      [['/v1/events', { raw: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }], 400, 'invalid_request'],
    ];
    for (const [[path, init], status, error] of cases) {
      const answer = await service.fetch(path, init);
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({
        error,
        code: error.toUpperCase(),
        requestId: expect.stringMatching(/^req_/),
        message: expect.any(String),
      });
    }
  });
});

describe('Idempotency-Key', () => {
  it('repeats the first answer, rejects another body, and stores once', async () => {
    const service = await startTestService();
    const send = (userId: string) =>
      service.fetch('/v1/events', {
        body: { events: [{ ...event, userId }] },
        headers: { 'idempotency-key': 'k1' },
      });
    const first = await send('a');
    const again = await send('a');
    expect(await again.text()).toBe(await first.text());
    expect([first, again].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const other = await send('b');
    expect(other.status).toBe(409);
    expect(
      (await service.platform.store.read((tx) => events.after(tx, service.workspace, 0, 10))).rows,
    ).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  it('counts every authenticated request except refused ones, and reports it in headers', async () => {
    const service = await startTestService({ limits: { ingest: 2 } });
    const send = (body: unknown) => service.fetch('/v1/events', { body });
    const remaining = (answer: Response) => answer.headers.get('x-service-ratelimit-remaining');
    expect(remaining(await send({ events: [event] }))).toBe('1');
    expect(remaining(await send({ events: 'bad' }))).toBe('0');
    const refused = await send({ events: [event] });
    expect(refused.status).toBe(429);
    expect(remaining(refused)).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({
      error: 'rate_limited',
      code: 'RATE_LIMITED',
      requestId: expect.any(String),
    });
  });

  it('is shared by processes on one file and survives a restart', async () => {
    const first = await startTestService({ limits: { ingest: 2 } });
    const second = await startTestService({ database: first.database, limits: {} });
    expect((await first.fetch('/v1/events', { body: { events: [event] } })).status).toBe(202);
    expect((await second.fetch('/v1/events', { body: { events: [event] } })).status).toBe(202);
    await first.close();
    await second.close();
    const third = await startTestService({ database: first.database, limits: {} });
    expect((await third.fetch('/v1/events', { body: { events: [event] } })).status).toBe(429);
  });
});
