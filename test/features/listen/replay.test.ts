import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { signBody, verifyBody } from '../../../src/contract/signature.ts';
import { Deliverer } from '../../../src/features/listen/deliverer.ts';
import { type Delivery, readBody } from '../../../src/features/listen/delivery.ts';
import {
  formatRecorded,
  parseRecorded,
  type Recorded,
  Recorder,
} from '../../../src/features/listen/recording.ts';
import { type Replayed, replay } from '../../../src/features/listen/replay.ts';
import { verifySignature } from '../../../src/features/listen/verify-signature.ts';
import type { Clock } from '../../../src/kit/clock.ts';
import { startTarget } from '../../support/listen/target.ts';

const OLD = 'the-secret-it-was-recorded-with';
const NEW = 'the-secret-it-is-replayed-with';
const START = Date.UTC(2026, 0, 31, 12);
const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const delivery = (body: Buffer, afterMs = 0): Delivery => ({
  receivedAt: START + afterMs,
  headers: {},
  rawHeaders: [
    ...['Host', 'old.example', 'Content-Length', String(body.length), 'Connection', 'keep-alive'],
    ...['X-Service-Signature', signBody(body, OLD), 'Webhook-Id', `dlv_${afterMs}`, 'X-Custom', 'kept'],
  ],
  body,
  ...readBody(body),
});

const recorded = (body: Buffer, afterMs = 0) =>
  parseRecorded(formatRecorded(delivery(body, afterMs))) as Recorded;

/** Returns a clock that advances by the duration of each sleep. */
function jumpingClock(): Clock & { sleepUntil: number[] } {
  let now = START * 2;
  const sleepUntil: number[] = [];
  return {
    sleepUntil,
    now: () => now,
    sleep: async (ms) => {
      sleepUntil.push(ms);
      now += ms;
    },
  };
}

async function collect(results: AsyncIterable<Replayed>): Promise<Replayed[]> {
  const all: Replayed[] = [];
  for await (const one of results) all.push(one);
  return all;
}

async function handler(...args: Parameters<typeof startTarget>) {
  const target = await startTarget(...args);
  const deliverer = new Deliverer();
  closing.push(
    () => target.close(),
    () => deliverer.close(),
  );
  return { target, deliverer, to: new URL(target.url) };
}

describe('a recorded line', () => {
  it('preserves every byte, the time, the kind and the end-to-end headers', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const back = recorded(Buffer.from(bytes), 5);
        expect(back.body.equals(bytes)).toBe(true);
        expect(back.receivedAt).toBe(START + 5);
      }),
    );
    const { kind, headers } = recorded(Buffer.from('{"type":"campaign.opened"}'));
    expect(kind).toBe('campaign.opened');
    expect(headers.filter((_, i) => i % 2 === 0)).toEqual(['x-service-signature', 'webhook-id', 'x-custom']);
  });

  it.each([
    ['nope', 'not JSON'],
    ['[]', 'not a JSON object'],
    ['{"body":""}', 'receivedAt'],
    ['{"receivedAt":"2026-01-31T12:00:00Z","body":"%"}', 'base64'],
    ['{"receivedAt":"2026-01-31T12:00:00Z","body":"","headers":{"a":1}}', 'not a string'],
    ['{"receivedAt":"2026-01-31T12:00:00Z","body":"","headers":{"a":"b\\r\\nc: d"}}', 'not valid in HTTP'],
    ['{"receivedAt":"2026-01-31T12:00:00Z","body":"","headers":{"a b":"c"}}', 'not valid in HTTP'],
  ])('%s is refused with a reason', (line, words) => {
    expect(parseRecorded(line)).toContain(words);
  });

  it('is appended to a file with mode 0600', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-record-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'deliveries.ndjson');
    for (const text of ['one', 'two']) {
      const recorder = await Recorder.open(file);
      recorder.write(delivery(Buffer.from(text)));
      await recorder.close();
    }
    const bodies = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (parseRecorded(line) as Recorded).body);
    expect(bodies.map(String)).toEqual(['one', 'two']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(Recorder.open(join(folder, 'missing', 'file'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('replay', () => {
  it('sends the same bytes under the recorded headers', async () => {
    const { target, deliverer, to } = await handler();
    const body = Buffer.from([0x7b, 0xff, 0x0a]);
    const [result] = await collect(
      replay([recorded(body)], { to, speed: 1, clock: jumpingClock(), deliverer }),
    );
    expect(result?.result.status).toBe(200);
    const got = target.received[0];
    expect(got?.body.equals(body)).toBe(true);
    expect(got?.headers).toMatchObject({ 'webhook-id': 'dlv_0', 'x-custom': 'kept', host: to.host });
    expect(verifyBody(body, OLD, got?.headers['x-service-signature'] as string)).toBe(true);
  });

  it('divides the pauses by the speed', async () => {
    const { deliverer, to } = await handler();
    const recording = [0, 1000, 1000, 4000].map((ms) => recorded(Buffer.from(`${ms}`), ms));
    const clock = jumpingClock();
    await collect(replay(recording, { to, speed: 10, clock, deliverer }));
    expect(clock.sleepUntil).toEqual([100, 300]);
    const atOnce = jumpingClock();
    await collect(replay(recording, { to, speed: Number.POSITIVE_INFINITY, clock: atOnce, deliverer }));
    expect(atOnce.sleepUntil).toEqual([]);
  });

  it('signs again with another secret, which alone verifies', async () => {
    const { target, deliverer, to } = await handler();
    const clock = jumpingClock();
    const recording = Array.from({ length: 50 }, (_, n) =>
      recorded(Buffer.from(JSON.stringify({ type: 'campaign.clicked', n })), n * 1000),
    );
    const results = await collect(replay(recording, { to, speed: 10, reSign: NEW, clock, deliverer }));
    expect(results).toHaveLength(50);
    expect(clock.sleepUntil.reduce((a, b) => a + b)).toBeCloseTo(4900);
    for (const { headers, body } of target.received) {
      expect(verifySignature(headers, body, [{ name: 'new', secret: NEW }]).verified).toBe(true);
      expect(verifySignature(headers, body, [{ name: 'old', secret: OLD }]).verified).toBe(false);
      expect(headers['webhook-signature']).toMatch(/^v1,/);
      expect(headers['x-custom']).toBe('kept');
    }
    expect(target.received.map(({ headers }) => headers['webhook-id'])).toContain('dlv_49000');
  });

  it('yields the answers in the order of the recording, including missing ones', async () => {
    const { target, deliverer, to } = await handler(({ body }, response) => {
      response.statusCode = Number(body.toString());
      if (response.statusCode === 201) setTimeout(() => response.end(), 50);
      else response.end();
    });
    const recording = ['201', '500', '200'].map((status) => recorded(Buffer.from(status)));
    const clock = jumpingClock();
    const results = await collect(replay(recording, { to, speed: 1, clock, deliverer }));
    expect(results.map(({ result }) => result.status)).toEqual([201, 500, 200]);
    await target.close();
    const [down] = await collect(replay(recording.slice(0, 1), { to, speed: 1, clock, deliverer }));
    expect(down?.result).toMatchObject({ status: null, code: 'ECONNREFUSED' });
  });

  it('ends when aborted', async () => {
    const { target, deliverer, to } = await handler();
    const stop = new AbortController();
    const clock: Clock = {
      now: () => START,
      sleep: async (_, signal) => {
        stop.abort();
        signal?.throwIfAborted();
      },
    };
    const recording = [0, 1000, 2000].map((ms) => recorded(Buffer.from('x'), ms));
    const results = await collect(replay(recording, { to, speed: 1, clock, deliverer, signal: stop.signal }));
    expect(results.length).toBeLessThan(2);
    expect(target.received.length).toBeLessThan(2);
  });
});
