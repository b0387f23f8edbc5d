import { expect, it, onTestFinished, vi } from 'vitest';
import { events } from '../../../../src/service/events/store/events.ts';
import { ByteBudget } from '../../../../src/service/events/stream/byte-budget.ts';
import { liveEvents } from '../../../../src/service/events/stream/live-events.ts';
import { watchEvents } from '../../../../src/service/events/stream/watch-events.ts';
import type { StreamHandler } from '../../../../src/service/http/endpoint.ts';
import type { Platform } from '../../../../src/service/platform/platform.ts';
import type { Store } from '../../../../src/service/platform/store/store.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';

const ingest = (service: TestService, ...properties: string[]) => {
  const all = properties.map(
    (p, i) => `{"userId":"u${i}","event":"e","timestamp":"2026-01-01T00:00:00Z","properties":{"p":"${p}"}}`,
  );
  return service.fetch('/v1/events', { raw: `{"events":[${all.join(',')}]}` });
};

/** Streams of the service from its first event on, read by hand: nothing reads what the test does not. */
function handStreams(service: TestService, share?: number) {
  const failing = { now: false };
  const read: Store['read'] = (work) =>
    failing.now ? Promise.reject(new Error('the connection was lost')) : service.platform.store.read(work);
  const { store } = service.platform;
  const platform = {
    ...service.platform,
    share: share ?? service.platform.share,
    store: { read, subscribe: store.subscribe.bind(store) },
  };
  const ended = vi.fn();
  const closing = new AbortController();
  const handler = liveEvents(platform as unknown as Platform, closing.signal, {
    watch: () => ended,
    stop: async () => {},
  });
  onTestFinished(() => closing.abort());
  const open = (lastEventId = '0') => {
    const call = { workspace: { id: service.workspace }, keyHash: undefined, lastEventId };
    const reader = handler(call as unknown as Parameters<StreamHandler>[0]).getReader();
    const chunks: Uint8Array[] = [];
    return {
      chunks,
      next: async () => {
        const { value, done } = await reader.read();
        if (value) chunks.push(value);
        return !done;
      },
      text: () => Buffer.concat(chunks).toString(),
      cancel: () => reader.cancel(),
    };
  };
  return { open, ended, failing };
}

/** Replaces the timers from now on. Reads of the store and turns are not timers. */
function fakeTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const long = (size: number) => 'é😀x'.repeat(size / 4);

it.each([
  ['short events', Array.from({ length: 400 }, (_, i) => `${i}`.repeat(50))],
  ['an event of several chunks', ['a', long(150_000), 'b']],
  ['an event that exceeds a page', ['a', long(700_000), 'b']],
])('gives up what it has read while its client does not read, and goes on there: %s', async (_, sent) => {
  const service = await startTestService();
  await ingest(service, ...sent);
  const { open } = handStreams(service);
  const all = open();
  const stalled = open();
  const isWhole = (text: string) => text.includes(`"userId":"u${sent.length - 1}"`) && text.endsWith('\n\n');
  while (!isWhole(all.text())) await all.next();
  await all.cancel();
  fakeTimers();
  const give = vi.spyOn(ByteBudget.prototype, 'give');
  onTestFinished(() => give.mockRestore());
  while (!isWhole(stalled.text())) {
    await stalled.next();
    give.mockClear();
    const isLast = isWhole(stalled.text());
    vi.advanceTimersByTime(1000);
    if (stalled.chunks.length > 1 && !isLast) expect(give).toHaveBeenCalled();
  }
  expect(Buffer.concat(stalled.chunks).equals(Buffer.concat(all.chunks))).toBe(true);
  for (const { length, buffer } of stalled.chunks) {
    expect(length).toBeLessThan(128 * 1024);
    expect(buffer.byteLength).toBeLessThan(128 * 1024);
  }
});

it('reads nothing of the store while its client does not read, and ends after a minute', async () => {
  const service = await startTestService();
  await ingest(service, ...Array.from({ length: 400 }, (_, i) => `${i}`.repeat(50)));
  const { open, ended } = handStreams(service);
  const stream = open();
  await stream.next();
  fakeTimers();
  await stream.next();
  const after = vi.spyOn(events, 'after');
  onTestFinished(() => after.mockRestore());
  for (let batch = 0; batch < 5; batch++) {
    await ingest(service, 'later');
    vi.advanceTimersByTime(11_000);
  }
  expect(after).not.toHaveBeenCalled();
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(ended).toHaveBeenCalledOnce();
  await expect(stream.next()).rejects.toThrow('does not read');
});

it('is closed without an error, which would be printed as a failure of the service', async () => {
  const { platform, workspace } = await startTestService();
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const keys = { watch: () => () => {}, stop: async () => {} };
  const destroy = vi.fn();
  const call = { workspace: { id: workspace }, query: {}, socket: { destroy } };
  const handler = watchEvents(platform, closing.signal, keys);
  const reader = handler(call as unknown as Parameters<StreamHandler>[0]).getReader();
  fakeTimers();
  expect((await reader.read()).done).toBe(false);
  vi.advanceTimersByTime(31_000);
  expect(destroy).toHaveBeenCalledOnce();
  await reader.cancel();
});

it('streams that wait for the same page share one read of it', async () => {
  const service = await startTestService();
  await ingest(service, 'a');
  const { open } = handStreams(service);
  const streams = Array.from({ length: 20 }, () => open());
  await Promise.all(streams.map((stream) => stream.next()));
  const after = vi.spyOn(events, 'after');
  onTestFinished(() => after.mockRestore());
  await Promise.all(streams.map((stream) => stream.next()));
  for (const stream of streams) expect(stream.text()).toContain('"userId":"u0"');
  expect(after).toHaveBeenCalledOnce();
});

it('returns the bytes of a page whose read fails after it was charged', async () => {
  const service = await startTestService();
  await ingest(service, 'a');
  // Room for one page at a time.
  const { open, failing } = handStreams(service, 1e-6);
  const [first, second, third] = [open(), open(), open()];
  await first.next();
  await second.next();
  await first.next();
  const wait = vi.spyOn(ByteBudget.prototype, 'wait');
  onTestFinished(() => wait.mockRestore());
  const failed = second.next();
  await expect.poll(() => wait.mock.calls.length).toBe(1);
  failing.now = true;
  await first.cancel();
  expect(await failed).toBe(false);
  failing.now = false;
  await third.next();
  await third.next();
  expect(third.text()).toContain('"userId":"u0"');
});
