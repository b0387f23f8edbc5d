import { expect, it, onTestFinished } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import type { DecideAnswer, Webhook } from '../../../src/contract/schemas.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';

const HOUR = 3_600_000;

it('the whole service on a virtual clock: ten attempts over 72 h, then the subscriber is given up after five days', async () => {
  let shift = 0;
  const now = () => Date.now() + shift;
  const clock = {
    now,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 10), signal),
  };
  const service = await startTestService({ allowLoopbackWebhooks: true, clock });
  const target = await startReceiver((response) => response.writeHead(500).end());
  onTestFinished(() => target.close());
  const json = async <T>(path: string, body?: unknown) =>
    (await service.fetch(path, { body })).json() as Promise<T>;
  const events = ['campaign.clicked'];
  const { id } = await json<Webhook>('/v1/webhooks', {
    url: target.url,
    events,
    signingSecret: 'a secret of the tests',
  });
  const tap = async () => {
    const { decisionId } = await json<DecideAnswer>('/v1/decisioning/decide', { hashId: 'someone' });
    await json(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
  };
  /** The subscription's deliveries, once `attempts` were made in all. */
  const after = async (attempts: number) => {
    for (;;) {
      const { deliveries } = await json<AnswerOf<'listDeliveries'>>(`/v1/webhooks/${id}/deliveries`);
      const made = deliveries.flatMap((delivery) => delivery.attempts).length;
      if (made >= attempts) return deliveries;
      await systemClock.sleep(5);
    }
  };

  await tap();
  let attempts = 1;
  for (;;) {
    const [delivery] = await after(attempts);
    if (delivery!.nextAttemptAt === null) break;
    shift += Math.max(0, Date.parse(delivery!.nextAttemptAt) - now());
    attempts += 1;
  }
  const [first] = await after(attempts);
  expect(first).toMatchObject({ status: 'failed', attempts: Array(10).fill({ status: 500 }) });
  const times = first!.attempts.map(({ at }) => Date.parse(at));
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(72 * HOUR);
  expect(new Set(target.received.map(({ body }) => body.toString())).size).toBe(1);
  expect((await json<Webhook>(`/v1/webhooks/${id}`)).status).toBe('active');

  // A minute more: the five days begin when the first failure was written down.
  shift += times[0]! + 5 * 24 * HOUR + 60_000 - now();
  await tap();
  await after(attempts + 1);
  const shown = await runSvc(['webhooks', 'get', id], { env: service.env });
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toMatch(/status +disabled/);
  expect(shown.stdout).toMatch(/reason +nothing but failures for five days/);
});
