import { expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const event = (userId: string, more = '') =>
  `{"userId":"${userId}","event":"e","timestamp":"2026-01-01T00:00:00Z"${more}}`;
const ingest = (service: TestService, ...events: string[]) =>
  service.fetch('/v1/events', { raw: `{"events":[${events.join(',')}]}` });

async function open(service: TestService, headers: Record<string, string> = {}) {
  const answer = await service.fetch('/v1/events/stream', { headers });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = answer.body!.getReader();
  let text = '';
  return {
    /** Reads on until the pattern is there. */
    async until(pattern: RegExp) {
      while (!pattern.test(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended without ${pattern}:\n${text}`);
        text += Buffer.from(value).toString();
      }
      return text;
    },
    ended: async () => {
      while (!(await reader.read()).done);
    },
    cancel: () => reader.cancel(),
  };
}

it('begins with where it is, then sends what comes, spelled as it was sent', async () => {
  const service = await startTestService();
  await ingest(service, event('before'));
  const stream = await open(service);
  await stream.until(/id: 1\n\n/);
  await ingest(service, event('u1', ',"properties":{"n":12345678901234567890,\n"x":1.50}'));
  const text = await stream.until(/receivedAt/);
  expect(text).toContain('id: 2\nevent: event\ndata: {"userId":"u1"');
  expect(text).toContain('12345678901234567890');
  expect(text).not.toContain('before');
  await stream.cancel();
});

it('goes on after Last-Event-ID and misses none, however many', async () => {
  const service = await startTestService();
  for (let batch = 0; batch < 3; batch++)
    await ingest(service, ...Array.from({ length: 500 }, (_, i) => event(`u${batch * 500 + i + 1}`)));
  const stream = await open(service, { 'last-event-id': '7' });
  const text = await stream.until(/id: 1500\nevent: event\n.*\n\n/);
  const ids = [...text.matchAll(/"userId":"u(\d+)"/g)].map((match) => Number(match[1]));
  expect(ids).toEqual(Array.from({ length: 1493 }, (_, i) => i + 8));
  await stream.cancel();
});

it('starts over where the number is from data that is gone', async () => {
  const service = await startTestService();
  await ingest(service, event('u1'));
  const stream = await open(service, { 'last-event-id': '4711' });
  await stream.until(/"userId":"u1"/);
  await stream.cancel();
});

it('shows what another process on the same file stores, and only the own workspace', async () => {
  const first = await startTestService();
  const second = await startTestService({ database: first.database, limits: {} });
  const stream = await open(first);
  await stream.until(/id: 0/);
  await ingest(second, event('elsewhere'));
  await stream.until(/"userId":"elsewhere"/);
  await stream.cancel();
});

it('ends when the service closes', async () => {
  const service = await startTestService();
  const stream = await open(service);
  await stream.until(/id: 0/);
  // Long before the grace is over, or this test is.
  const closed = service.close(60_000);
  await stream.ended();
  await closed;
});
