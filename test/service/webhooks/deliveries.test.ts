import { Webhook as StandardWebhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyBody } from '../../../src/contract/signature.ts';
import type { Receiver } from '../../support/peers/receiver.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';
import {
  json,
  knownUser,
  receiver,
  secret,
  start,
  subscribe,
  tap,
  until,
} from '../../support/process/webhooks-service.ts';

describe('deliveries', () => {
  it('reach a subscriber, signed, in the specified form', async () => {
    const service = await start();
    const target = await receiver();
    const { id } = await subscribe(service, target.url);
    const hashId = await knownUser(service);
    const decisionId = await tap(service, hashId);
    const [got] = await target.waitFor(1);
    const body = JSON.parse(got!.body.toString());
    expect(Object.keys(body)).toEqual([
      'type',
      'decisionId',
      'contentId',
      'hashId',
      'deliveryId',
      'occurredAt',
    ]);
    expect(body).toMatchObject({ type: 'campaign.clicked', decisionId, hashId });
    expect(got!.headers['content-type']).toBe('application/json');
    expect(verifyBody(got!.body, secret, got!.headers['x-service-signature']!)).toBe(true);
    expect(got!.headers['webhook-id']).toBe(body.deliveryId);
    expect(new StandardWebhook(secret, { format: 'raw' }).verify(got!.body, got!.headers)).toEqual(body);
    const { deliveries } = await until(async () => {
      const seen = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
      return seen.deliveries[0]?.status === 'delivered' && seen;
    });
    expect(deliveries).toEqual([
      {
        deliveryId: body.deliveryId,
        webhookId: id,
        type: 'campaign.clicked',
        status: 'delivered',
        occurredAt: body.occurredAt,
        attempts: [{ at: expect.any(String), status: 204, durationMs: expect.any(Number), signedBy: [1] }],
        nextAttemptAt: null,
      },
    ]);
  });

  it('go to the subscribers of the kind, once per outcome', async () => {
    const service = await start();
    const all = await receiver();
    const opened = await receiver();
    await subscribe(service, all.url);
    await subscribe(service, opened.url, { events: ['campaign.opened'] });
    const hashId = await knownUser(service);
    const decisionId = await tap(service, hashId, 'opened');
    for (const type of ['opened', 'dismissed', 'actioned', 'opened'])
      await json(service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type } }), 202);
    await all.waitFor(2);
    await until(() => service.idle());
    const types = (target: Receiver) =>
      target.received.map(({ body }) => JSON.parse(body.toString()).type).sort();
    expect(types(all)).toEqual(['campaign.opened', 'decision.actioned']);
    expect(types(opened)).toEqual(['campaign.opened']);
  });

  it('are signed with both secrets during a rotation', async () => {
    const service = await start();
    const target = await receiver();
    const { id } = await subscribe(service, target.url);
    const fresh = 'the secret that replaces it';
    await json(service.fetch(`/v1/webhooks/${id}/rotate`, { body: { signingSecret: fresh } }), 200);
    await tap(service, await knownUser(service));
    const [got] = await target.waitFor(1);
    for (const each of [secret, fresh])
      expect(new StandardWebhook(each, { format: 'raw' }).verify(got!.body, got!.headers)).toBeTruthy();
    expect(verifyBody(got!.body, fresh, got!.headers['x-service-signature']!)).toBe(true);
  });

  it('are sent again with the same bytes and id after a failure and on request', async () => {
    const service = await start();
    let answers = 0;
    const target = await receiver((response) => {
      answers += 1;
      response.writeHead(answers === 2 ? 200 : 500).end();
    });
    const { id } = await subscribe(service, target.url);
    await tap(service, await knownUser(service));
    await target.waitFor(1);
    const pending = await until(async () => {
      const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
      return deliveries[0].attempts.length === 1 && deliveries[0];
    });
    expect(pending).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
    expect(Date.parse(pending.nextAttemptAt)).toBeGreaterThan(Date.parse(pending.attempts[0].at) + 3_999);
    const again = `/v1/webhooks/${id}/deliveries/${pending.deliveryId}/redeliver`;
    expect(await json(service.fetch(again, { method: 'POST' }), 202)).toMatchObject({ status: 'pending' });
    await target.waitFor(2);
    await until(async () => {
      const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
      return deliveries[0].status === 'delivered';
    });
    await json(service.fetch(again, { method: 'POST' }), 202);
    const [first, ...others] = await target.waitFor(3);
    for (const other of others) {
      expect(other.body.equals(first!.body)).toBe(true);
      expect(other.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    }
    await json(service.fetch(`/v1/webhooks/${id}/deliveries/dlv_x/redeliver`, { method: 'POST' }), 404);
  });

  it('stop at once for a subscriber that answers 410, and continue when it is active again', async () => {
    const service = await start();
    let gone = true;
    const target = await receiver((response) => response.writeHead(gone ? 410 : 204).end());
    const { id } = await subscribe(service, target.url);
    const hashId = await knownUser(service);
    await tap(service, hashId);
    const disabled = await until(async () => {
      const webhook = await json(service.fetch(`/v1/webhooks/${id}`), 200);
      return webhook.status === 'disabled' && webhook;
    });
    expect(disabled.disabledReason).toBe('the receiver answered 410 Gone');
    await tap(service, hashId);
    await until(() => service.idle());
    expect(target.received.length).toBe(1);
    const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
    expect(deliveries).toMatchObject([{ status: 'failed', nextAttemptAt: null }]);
    const again = `/v1/webhooks/${id}/deliveries/${deliveries[0].deliveryId}/redeliver`;
    await json(service.fetch(again, { method: 'POST' }), 409);
    gone = false;
    await json(service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { status: 'active' } }), 200);
    await json(service.fetch(again, { method: 'POST' }), 202);
    await target.waitFor(2);
  });

  it('are held while a subscription is disabled and sent when it is active again', async () => {
    const service = await start();
    const target = await receiver((response) =>
      response.writeHead(target.received.length === 1 ? 500 : 204).end(),
    );
    const { id } = await subscribe(service, target.url);
    await tap(service, await knownUser(service));
    await target.waitFor(1);
    await json(service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { status: 'disabled' } }), 200);
    const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
    expect(deliveries).toMatchObject([{ status: 'pending', nextAttemptAt: null }]);
    await json(service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { status: 'active' } }), 200);
    await json(
      service.fetch(`/v1/webhooks/${id}/deliveries/${deliveries[0].deliveryId}/redeliver`, {
        method: 'POST',
      }),
      202,
    );
    await target.waitFor(2);
  });

  it('are not delayed by another subscriber that hangs', async () => {
    const service = await start();
    const hanging = await receiver(() => {});
    const good = await receiver();
    await subscribe(service, hanging.url);
    await subscribe(service, good.url);
    const hashId = await knownUser(service);
    // More than the concurrency limit of one subscriber.
    for (let i = 0; i < 40; i += 1) await tap(service, hashId);
    await good.waitFor(40);
    expect(hanging.received.length).toBeLessThan(40);
  });

  it('are not sent to an address that is refused when the socket connects', async () => {
    const service = await start();
    const target = await receiver();
    const { id } = await subscribe(service, target.url);
    const strict = await startTestService({ database: service.database, allowLoopbackWebhooks: false });
    await until(async () => !service.policy().allowLoopbackWebhooks);
    await tap(strict, await knownUser(strict));
    const failed = await until(async () => {
      const { deliveries } = await json(strict.fetch(`/v1/webhooks/${id}/deliveries`), 200);
      return deliveries[0]?.attempts.length === 1 && deliveries[0];
    });
    expect(failed.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining(
        'public addresses only (svc serve --allow-loopback-webhooks sends here too)',
      ),
    });
    expect(target.received).toEqual([]);
  });

  it('end with the lease of their subscription', async () => {
    const service = await startTestService({ allowLoopbackWebhooks: true, testClock: true });
    const target = await receiver();
    const made = await subscribe(service, target.url, { leaseSeconds: 5 });
    expect(Date.parse(made.leaseUntil) - Date.parse(made.createdAt)).toBe(5000);
    const longer = await json(
      service.fetch(`/v1/webhooks/${made.id}`, { method: 'PATCH', body: { leaseSeconds: 60 } }),
      200,
    );
    expect(Date.parse(longer.leaseUntil)).toBeGreaterThan(Date.parse(made.leaseUntil));
    const hashId = await knownUser(service);
    await advance(service, 30_000);
    await tap(service, hashId);
    await target.waitFor(1);
    await advance(service, 60_000);
    await json(service.fetch(`/v1/webhooks/${made.id}`), 404);
    await tap(service, hashId);
    await expect.poll(() => service.idle()).toBe(true);
    expect(target.received).toHaveLength(1);
  });
});
