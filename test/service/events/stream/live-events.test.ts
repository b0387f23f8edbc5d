import { expect, it, onTestFinished, vi } from 'vitest';
import { events } from '../../../../src/service/events/store/events.ts';
import { apiKeys, hashOfKey } from '../../../../src/service/http/access/api-keys.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';

const event = (userId: string, more = '') =>
  `{"userId":"${userId}","event":"e","timestamp":"2026-01-01T00:00:00Z"${more}}`;
const ingest = (service: TestService, ...events: string[]) =>
  service.fetch('/v1/events', { raw: `{"events":[${events.join(',')}]}` });

async function open(service: TestService, headers: Record<string, string> = {}) {
  const answer = await service.fetch('/v1/events/stream', { headers });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    /** Reads until the text matches the pattern. */
    async until(pattern: RegExp) {
      while (!pattern.test(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended without ${pattern}:\n${text}`);
        text += decoder.decode(value, { stream: true });
      }
      return text;
    },
    ended: async () => {
      while (!(await reader.read()).done);
    },
    cancel: () => reader.cancel(),
  };
}

it('starts with its position, then sends new events, spelled as they were sent', async () => {
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

it('resumes after Last-Event-ID without a gap', async () => {
  const service = await startTestService();
  for (let batch = 0; batch < 3; batch++)
    await ingest(service, ...Array.from({ length: 500 }, (_, i) => event(`u${batch * 500 + i + 1}`)));
  const stream = await open(service, { 'last-event-id': '7' });
  const text = await stream.until(/id: 1500\nevent: event\n.*\n\n/);
  const ids = [...text.matchAll(/"userId":"u(\d+)"/g)].map((match) => Number(match[1]));
  expect(ids).toEqual(Array.from({ length: 1493 }, (_, i) => i + 8));
  await stream.cancel();
});

it('restarts if the position is from data that was reset', async () => {
  const service = await startTestService();
  await ingest(service, event('u1'));
  const stream = await open(service, { 'last-event-id': '4711' });
  await stream.until(/"userId":"u1"/);
  await stream.cancel();
});

it('sends events stored by another process, and only those of its workspace', async () => {
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
  // Long before the grace period or this test ends.
  const closed = service.close(60_000);
  await stream.ended();
  await closed;
});

it('sends a long event unchanged, with any character at a chunk boundary', async () => {
  const service = await startTestService();
  const long = '😀é\\u00e9x'.repeat(300_000);
  await ingest(
    service,
    event('u1', `,"properties":{"n":12345678901234567890,\n"long":"${long}"}`),
    event('u2'),
  );
  const stream = await open(service, { 'last-event-id': '0' });
  const text = await stream.until(/"userId":"u2".*\n\n/);
  const data = [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1]!);
  expect(data).toHaveLength(2);
  // Without toContain, which would print the whole text on failure.
  expect(data[0]!.includes(`"long":"${long}"},"origin":"server","receivedAt":`)).toBe(true);
  expect(data[0]!.slice(0, 200)).toContain('12345678901234567890');
  expect(JSON.parse(data[0]!).properties.long.length).toBe(300_000 * 5);
  await stream.cancel();
});

it('reads an event of 8 MiB in few ranges, because the database reads all of it for each', async () => {
  const service = await startTestService();
  await ingest(service, event('u', `,"properties":{"long":"${'x'.repeat(8 * 1024 * 1024 - 200)}"}`));
  const range = vi.spyOn(events, 'range');
  onTestFinished(() => range.mockRestore());
  const stream = await open(service, { 'last-event-id': '0' });
  await stream.until(/receivedAt/);
  expect(range.mock.calls.length).toBeLessThanOrEqual(8);
  await stream.cancel();
});

it('HEAD acquires no resources', async () => {
  const service = await startTestService();
  const { store } = service.platform;
  let listening = 0;
  const subscribe = store.subscribe.bind(store);
  vi.spyOn(store, 'subscribe').mockImplementation((topic, onNews) => {
    const stop = subscribe(topic, onNews);
    listening++;
    return () => {
      listening--;
      stop();
    };
  });
  for (let i = 0; i < 20; i++)
    expect((await service.fetch('/v1/events/stream', { method: 'HEAD' })).status).toBe(200);
  const stream = await open(service);
  await stream.until(/id: 0/);
  expect(listening).toBe(1);
  await stream.cancel();
  await expect.poll(() => listening).toBe(0);
});

it('ends on every node when its key is deleted; other streams continue', async () => {
  const first = await startTestService();
  const second = await startTestService({ database: first.database, limits: {} });
  const other = 'sk_test_another';
  await first.platform.store.write((tx) => apiKeys.add(tx, first.workspace, other, 'test'));
  const streams = [await open(first), await open(second)];
  const kept = await open(first, { authorization: `Bearer ${other}` });
  await Promise.all([...streams, kept].map((stream) => stream.until(/id: 0/)));
  await second.platform.store.write((tx) =>
    tx.sql.run('DELETE FROM api_key WHERE key_hash = ?', [hashOfKey(first.apiKey)]),
  );
  await Promise.all(streams.map((stream) => stream.ended()));
  const authorization = { authorization: `Bearer ${other}` };
  await first.fetch('/v1/events', { raw: `{"events":[${event('later')}]}`, headers: authorization });
  await kept.until(/"userId":"later"/);
  await kept.cancel();
});

it('opens many streams without a warning about listeners', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const service = await startTestService();
  const streams = await Promise.all(Array.from({ length: 12 }, () => open(service)));
  await Promise.all(streams.map((stream) => stream.until(/id: 0/)));
  await Promise.all(streams.map((stream) => stream.cancel()));
  expect(warned.mock.calls).toEqual([]);
});
