import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notifications } from '../../../src/service/notifications/store/notifications.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';
import { json, knownUser, receiver } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';
import { addUser, record, trigger } from '../../support/vendors/live-service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const triggered = (service: TestService, body: object, status = 202) =>
  json(service.fetch('/v1/inform/trigger', { body }), status);
const cancel = (service: TestService, id: string, status = 200) =>
  json(service.fetch(`/v1/inform/notifications/${id}/cancel`, { method: 'POST' }), status);
const got = (service: TestService, id: string) => json(service.fetch(`/v1/inform/notifications/${id}`), 200);

/** A time of a service's clock. */
const later = async (service: TestService, ms: number) =>
  new Date(Date.parse((await clockOf(service)).now) + ms).toISOString();

async function withClock(settings: object = {}) {
  const catalog = join(tempDir(), 'catalog.json');
  const templates = [
    { templateId: 'offer', category: 'offers', body: 'Hi', validForMinutes: 180 },
    { templateId: 'order', body: 'Hi', priority: 'transactional' },
  ];
  writeFileSync(catalog, JSON.stringify({ contents: [], templates, settings }));
  const service = await startTestService({ testClock: true, catalog });
  return { service, hashId: await knownUser(service) };
}

/** A live service whose provider for sms is a receiver, which answers what it is told. */
async function withProvider(status: () => number, delay: () => Promise<unknown> = async () => {}) {
  const provider = await receiver((response) => {
    void delay().then(() => response.writeHead(status()).end());
  });
  const service = await startTestService({
    channels: {
      outboxFile: join(tempDir(), 'outbox.ndjson'),
      providers: { sms: { url: provider.url, secret: 'the provider secret 1', idempotent: true } },
    },
  });
  return { service, provider, hashId: await addUser(service) };
}

describe('a notification for later', () => {
  it('is held until its time, and sent then', async () => {
    const { service, hashId } = await withClock();
    const sendAt = await later(service, 3 * HOUR);
    const answer = await triggered(service, { hashId, templateId: 'order', channel: 'sms', sendAt });
    expect(answer).toMatchObject({ status: 'held', sendAt });
    const id = answer.notificationId;
    await advance(service, 3 * HOUR - MINUTE);
    expect(await got(service, id)).toMatchObject({
      status: 'held',
      sendAt,
      heldUntil: sendAt,
      history: [{ status: 'queued' }, { status: 'held', reason: 'send_at' }],
    });
    expect(existsSync(`${service.files}.outbox.ndjson`)).toBe(false);
    await advance(service, 2 * MINUTE);
    const sent = await got(service, id);
    expect(sent).toMatchObject({ status: 'delivered', sendAt });
    expect(sent).not.toHaveProperty('heldUntil');
    expect(Date.parse(sent.history[2].at)).toBeGreaterThanOrEqual(Date.parse(sendAt));
  });

  it('is checked when it is sent: consent, quiet hours and validity from its time on', async () => {
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    // Quiet from the second hour to the fourth.
    const marketing = { quietHours: { from: time(2 * HOUR), until: time(4 * HOUR) } };
    const { service, hashId } = await withClock({ marketing });
    const offer = { hashId, templateId: 'offer', channel: 'sms' };
    const quiet = await triggered(service, { ...offer, sendAt: await later(service, 3 * HOUR) });
    const refused = await triggered(service, {
      ...offer,
      channel: 'email',
      sendAt: await later(service, 10 * HOUR),
    });
    await advance(service, 3 * HOUR + MINUTE);
    expect(await got(service, quiet.notificationId)).toMatchObject({
      status: 'held',
      history: [{}, {}, { status: 'held', reason: 'quiet_hours' }],
    });
    await advance(service, 2 * HOUR);
    // Four hours after it was triggered, and within the two for which it is valid.
    expect((await got(service, quiet.notificationId)).status).toBe('delivered');
    await service.fetch(`/v1/users/${hashId}/consent`, { body: { optOut: ['email'] } });
    await advance(service, 6 * HOUR);
    expect(await got(service, refused.notificationId)).toMatchObject({
      status: 'failed',
      failure: 'opted_out',
    });
  });

  it('is a contact of the day on which it is to be sent, until it is cancelled', async () => {
    const { service, hashId } = await withClock();
    const sendAt = await later(service, 3 * DAY);
    const body = { hashId, templateId: 'order', channel: 'sms', sendAt };
    const { notificationId } = await triggered(service, body);
    const contacts = () =>
      service.platform.store.read((tx) =>
        tx.sql.all('SELECT at_ms AS at FROM contact WHERE workspace_id = ? AND id = ?', [
          service.workspace,
          notificationId,
        ]),
      );
    expect((await contacts()).map((row) => Number((row as { at: unknown }).at))).toEqual([
      Date.parse(sendAt),
    ]);
    expect(await cancel(service, notificationId)).toMatchObject({ status: 'cancelled', sentBefore: false });
    expect(await contacts()).toEqual([]);
  });

  it('is refused for the past and for more than 30 days ahead, and sent at once for a moment ago', async () => {
    const { service, hashId } = await withClock();
    const body = { hashId, templateId: 'order', channel: 'sms' };
    for (const [ms, message] of [
      [-2 * MINUTE, 'must not be in the past'],
      [30 * DAY + 2 * MINUTE, 'must be within 30 days'],
    ] as const)
      expect(await triggered(service, { ...body, sendAt: await later(service, ms) }, 400)).toMatchObject({
        details: [{ field: 'sendAt', message }],
      });
    for (const sendAt of ['tomorrow', '2026-02-30T00:00:00Z', '2026-01-01T00:00:00', 5, null])
      expect(await triggered(service, { ...body, sendAt }, 400)).toMatchObject({
        details: [{ field: 'sendAt' }],
      });
    const now = await triggered(service, { ...body, sendAt: await later(service, -10_000) });
    expect(now.status).toBe('queued');
    expect(now).not.toHaveProperty('sendAt');
    const last = await triggered(service, { ...body, sendAt: await later(service, 30 * DAY) });
    expect(last.status).toBe('held');
  });
});

describe('a cancelled notification', () => {
  it('is never sent, and says so again and again', async () => {
    const { service, hashId } = await withClock();
    const body = { hashId, templateId: 'order', channel: 'sms', sendAt: await later(service, HOUR) };
    const { notificationId: id } = await triggered(service, body);
    for (let i = 0; i < 2; i++)
      expect(await cancel(service, id)).toEqual({
        status: 'cancelled',
        sentBefore: false,
        requestId: expect.any(String),
      });
    await advance(service, 2 * HOUR);
    const ended = await got(service, id);
    expect(ended).toMatchObject({
      status: 'cancelled',
      history: [{ status: 'queued' }, { status: 'held' }, { status: 'cancelled' }],
    });
    expect(existsSync(`${service.files}.outbox.ndjson`)).toBe(false);
    const list = await json(service.fetch('/v1/inform/notifications?status=cancelled'), 200);
    expect(list.notifications).toEqual([ended]);
  });

  it('that was sent stays what it is', async () => {
    const { service, hashId } = await withClock();
    const { notificationId: id } = await triggered(service, { hashId, templateId: 'order', channel: 'sms' });
    await expect.poll(async () => (await got(service, id)).status).toBe('delivered');
    expect(await cancel(service, id)).toMatchObject({ status: 'delivered', sentBefore: true });
    expect((await got(service, id)).status).toBe('delivered');
    expect(readFileSync(`${service.files}.outbox.ndjson`, 'utf8')).toContain(id);
  });

  it('is one of this workspace', async () => {
    const service = await startTestService();
    expect(await cancel(service, 'ntf_x', 404)).toMatchObject({ error: 'not_found' });
    const cancelled = await service.platform.store.write((tx) =>
      notifications.cancel(tx, 'ws_other', 'ntf_x'),
    );
    expect(cancelled).toBe(undefined);
  });

  it('that a provider does not take is not sent again, and did not leave', async () => {
    const { service, provider, hashId } = await withProvider(() => 429);
    const id = await trigger(service, hashId);
    await provider.waitFor(1);
    expect(await cancel(service, id)).toMatchObject({ status: 'cancelled', sentBefore: false });
    const attempts = provider.received.length;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(provider.received.length).toBe(attempts);
    expect((await record(service, id)).status).toBe('cancelled');
  });

  it('that may have left says so, also after a later attempt that a provider does not take', async () => {
    let answers = 0;
    const { service, provider, hashId } = await withProvider(() => (answers++ === 0 ? 500 : 429));
    const id = await trigger(service, hashId);
    await provider.waitFor(2);
    expect(await cancel(service, id)).toMatchObject({ status: 'cancelled', sentBefore: true });
  });

  it('is answered once the attempt that has begun ended, as it ended', async () => {
    for (const [status, ended, sentBefore] of [
      [202, 'delivered', true],
      [429, 'cancelled', false],
    ] as const) {
      let answer = () => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const { service, provider, hashId } = await withProvider(
        () => status,
        () => held,
      );
      const id = await trigger(service, hashId);
      await provider.waitFor(1);
      let answered = false;
      const asked = cancel(service, id).finally(() => {
        answered = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(answered).toBe(false);
      answer();
      expect(await asked).toMatchObject({ status: ended, sentBefore });
      expect(provider.received.length).toBe(1);
      expect((await record(service, id)).status).toBe(ended);
    }
  });
});
