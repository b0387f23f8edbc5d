import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { signBody } from '../../../src/contract/signature.ts';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import type { Faults } from '../../../src/service/faults/schema.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
const SECRET = 'a secret of the receiver';

function scenario(faults: Omit<Faults, 'seed'> & { seed?: string }): string {
  const file = join(tempDir(), 'faults.json');
  writeFileSync(file, JSON.stringify({ seed: 's', ...faults }));
  return file;
}

const countsOf = (service: TestService, endpoint: string) =>
  service.requests().find((each) => each.endpoint === endpoint);

describe('requests with injected faults', () => {
  it('are refused in bursts and fail', async () => {
    const service = await startTestService({
      faults: scenario({
        requests: [
          { endpoint: 'ingestEvents', from: 2, to: 3, fault: 'refuse', retryAfter: 7 },
          { endpoint: 'decide', fault: 'fail', status: 502, retryAfter: 3 },
        ],
      }),
    });
    const send = () => service.fetch('/v1/events', { body: { events: [event] } });
    const answers = [await send(), await send(), await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([202, 429, 429, 202]);
    expect(answers[1]!.headers.get('retry-after')).toBe('7');
    expect(answers[1]!.headers.get('x-service-ratelimit-remaining')).toBe('0');
    expect(await answers[1]!.json()).toMatchObject({ error: 'rate_limited', code: 'RATE_LIMITED' });
    const failed = await service.fetch('/v1/decisioning/decide', { body: { hashId: 'h' } });
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([502, '3']);
    expect(await stored(service)).toBe(2);
    // What a fault answered came to the endpoint, too.
    expect(countsOf(service, 'ingestEvents')).toMatchObject({ requests: 4, turnedAway: 2, byFaults: 2 });
    expect(countsOf(service, 'decide')).toMatchObject({ requests: 1, failed: 1, byFaults: 1 });
  });

  it('are executed although their answer is lost, truncated or an error', async () => {
    const service = await startTestService({
      faults: scenario({
        requests: [
          { endpoint: 'ingestEvents', to: 1, fault: 'lose-answer' },
          { endpoint: 'ingestEvents', from: 2, to: 2, fault: 'cut-answer' },
          { endpoint: 'ingestEvents', from: 3, to: 3, fault: 'fail-after-commit', status: 500 },
        ],
      }),
    });
    const send = () => service.fetch('/v1/events', { body: { events: [event] } });
    await expect(send()).rejects.toThrow();
    const cut = await send();
    expect(cut.status).toBe(202);
    await expect(cut.text()).rejects.toThrow();
    expect((await send()).status).toBe(500);
    expect((await send()).status).toBe(202);
    expect(await stored(service)).toBe(4);
    expect(countsOf(service, 'ingestEvents')).toMatchObject({ requests: 4, failed: 1, byFaults: 1 });
  });

  it('have delayed answers', async () => {
    const slept: number[] = [];
    const service = await startTestService({
      faults: scenario({ requests: [{ endpoint: 'decide', fault: 'slow-answer', delayMs: 77_777 }] }),
      clock: {
        now: systemClock.now,
        sleep: async (ms, signal) => {
          if (ms !== 77_777) return systemClock.sleep(ms, signal);
          slept.push(ms);
        },
      },
    });
    expect((await service.fetch('/v1/decisioning/decide', { body: { hashId: 'h' } })).status).toBe(200);
    expect(slept).toEqual([77_777]);
  });

  it('neither lose nor duplicate records of an import, reproducibly by seed', async () => {
    const input = join(tempDir(), 'events.ndjson');
    const records = Array.from({ length: 120 }, (_, i) => JSON.stringify({ ...event, properties: { i } }));
    writeFileSync(input, records.join('\n'));
    const run = async (seed: string) => {
      const met: unknown[] = [];
      const service = await startTestService({
        limits: { ingest: 5000, inform: null, decisions: null, reads: null, webhooks: null },
        faults: scenario({
          seed,
          requests: [
            {
              endpoint: 'ingestEvents',
              from: 3,
              to: 14,
              every: 11,
              burst: 2,
              fault: 'refuse',
              retryAfter: 1,
            },
            { endpoint: 'ingestEvents', chance: 0.15, fault: 'lose-answer' },
            { endpoint: 'ingestEvents', chance: 0.1, fault: 'cut-answer' },
            { endpoint: 'ingestEvents', chance: 0.1, fault: 'fail-after-commit', status: 500 },
            { endpoint: 'ingestEvents', chance: 0.1, fault: 'fail', status: 502, retryAfter: 1 },
          ],
        }),
        log: (_, message, fields) => {
          if (message.startsWith('fault injected')) met.push(fields!.fault);
        },
      });
      const { code, stdout } = await runSvc(
        [
          'events',
          'import',
          input,
          '--batch-size',
          '4',
          '--concurrency',
          '1',
          '--max-retries',
          '20',
          '--json',
          '--quiet',
        ],
        { env: service.env, clock: skippingClock() },
      );
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        accepted: 120,
        rateLimited: met.filter((fault) => fault === 'refuse').length,
      });
      expect(await storedNumbers(service)).toEqual(records.map((_, i) => i));
      return met;
    };
    const [first, again, other] = await Promise.all(['monday', 'monday', 'tuesday'].map(run));
    expect(new Set(first)).toEqual(
      new Set(['refuse', 'lose-answer', 'cut-answer', 'fail-after-commit', 'fail']),
    );
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe('deliveries with injected faults', () => {
  it('arrive twice, out of order and with wrong signatures', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const service = await startTestService({
      allowLoopbackWebhooks: true,
      faults: scenario({
        deliveries: [
          { to: 1, fault: 'double' },
          { from: 2, to: 2, fault: 'out-of-order', delayMs: 10_000 },
          { from: 4, to: 4, fault: 'wrong-signature' },
        ],
      }),
    });
    await subscribe(service, receiver.url);
    const report = await decided(service, 'h');
    await report('opened');
    await receiver.waitFor(2);
    await report('clicked');
    await report('actioned');
    await receiver.waitFor(4);
    const types = receiver.received.map(({ body }) => JSON.parse(String(body)).type);
    expect(types.slice(0, 2)).toEqual(['campaign.opened', 'campaign.opened']);
    const [first, again] = receiver.received;
    expect(again!.body).toEqual(first!.body);
    expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    // The second one waited for the third one.
    expect(types.slice(2, 4)).toEqual(['decision.actioned', 'campaign.clicked']);
    await (await decided(service, 'h2'))('opened');
    await receiver.waitFor(5);
    const signatures = receiver.received.map(({ headers }) => headers['x-service-signature']);
    const valid = receiver.received.map(({ body }, i) => signBody(body, SECRET) === signatures[i]);
    expect(valid).toEqual([true, true, true, true, false]);
    expect(signatures[4]).toMatch(/^[0-9a-f]{64}$/);
    // Each attempt says what happened to it, which its status does not show.
    const notes = async () =>
      (
        (await (await service.fetch('/v1/deliveries')).json()) as AnswerOf<'listAllDeliveries'>
      ).deliveries.flatMap(({ attempts }) => attempts.map(({ status, error }) => `${status} ${error ?? ''}`));
    await expect
      .poll(async () => (await notes()).sort())
      .toEqual([
        '204 ',
        '204 held back by a fault',
        '204 sent twice by a fault: the first was answered HTTP 204',
        '204 sent with a wrong signature by a fault',
      ]);
  });

  it('arrive late, after newer ones, and still verify', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    let arrive = () => {};
    const asLongAsSaid = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slept: number[] = [];
    const service = await startTestService({
      allowLoopbackWebhooks: true,
      faults: scenario({
        deliveries: [{ type: 'campaign.opened', fault: 'late', delayMs: 77_777 }],
      }),
      clock: {
        now: systemClock.now,
        sleep: (ms, signal) => {
          if (ms !== 77_777) return systemClock.sleep(ms, signal);
          slept.push(ms);
          return asLongAsSaid;
        },
      },
    });
    await subscribe(service, receiver.url);
    const report = await decided(service, 'h');
    await report('opened');
    await report('clicked');
    await report('actioned');
    await receiver.waitFor(2);
    const kinds = () => receiver.received.map(({ body }) => JSON.parse(String(body)).type);
    expect(kinds().sort()).toEqual(['campaign.clicked', 'decision.actioned']);
    expect(slept).toEqual([77_777]);
    arrive();
    await receiver.waitFor(3);
    expect(kinds()[2]).toBe('campaign.opened');
    const occurred = receiver.received.map(({ body }) => JSON.parse(String(body)).occurredAt);
    expect(occurred[2] <= occurred[0] && occurred[2] <= occurred[1]).toBe(true);
    for (const { body, headers } of receiver.received) {
      expect(signBody(body, SECRET)).toBe(headers['x-service-signature']);
    }
  });
});

/** A clock whose sleeps end at once. */
function skippingClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: async (ms) => {
      ahead += ms;
      await systemClock.sleep(1);
    },
  };
}

async function subscribe(service: TestService, url: string): Promise<void> {
  const { status } = await service.fetch('/v1/webhooks', {
    body: {
      url,
      events: ['campaign.opened', 'campaign.clicked', 'decision.actioned'],
      signingSecret: SECRET,
    },
  });
  expect(status).toBe(201);
}

/** Makes a decision for a user; returns a function that reports an outcome of it. */
async function decided(service: TestService, hashId: string): Promise<(type: string) => Promise<Response>> {
  const context = { channel: 'in-app', surface: 'home' };
  const decision = await service.fetch('/v1/decisioning/decide', { body: { hashId, context } });
  const { decisionId } = (await decision.json()) as { decisionId: string };
  return (type) => service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type } });
}

/** The numbers in the properties of the stored events, in ascending order. */
async function storedNumbers(service: TestService): Promise<number[]> {
  const rows = await service.platform.store.read((tx) =>
    tx.sql.all<{ properties: string }>('SELECT properties FROM event'),
  );
  return rows.map(({ properties }) => JSON.parse(properties).i).sort((a, b) => a - b);
}

async function stored(service: TestService): Promise<number> {
  const count = await service.platform.store.read((tx) =>
    tx.sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM event'),
  );
  return Number(count!.n);
}
