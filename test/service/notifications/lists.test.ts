import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { validate } from '../../../src/contract/validation.ts';
import { PAGE_BYTES } from '../../../src/service/platform/store/pages.ts';
import type { TestService } from '../../support/process/service.ts';
import {
  json,
  knownUser,
  receiver,
  start,
  subscribe,
  tap,
  until,
} from '../../support/process/webhooks-service.ts';

type Fields = Record<string, unknown>;

/** Fetches all pages of a list. */
async function pagesOf(service: TestService, path: string, key: string): Promise<Fields[][]> {
  const pages: Fields[][] = [];
  for (let next: string | undefined; ; ) {
    const url = next === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}after=${next}`;
    const body = await json(service.fetch(url), 200);
    pages.push(body[key]);
    next = body.next;
    if (next === undefined) return pages;
  }
}

const listOf = async (service: TestService, path: string, key: string) =>
  (await pagesOf(service, path, key)).flat();

const trigger = async (service: TestService, hashId: string, more: Fields = {}) => {
  const body = {
    hashId,
    templateId: 'order_update',
    channel: 'push',
    variables: { orderId: 'A-1' },
    priority: 'transactional',
    ...more,
  };
  return (await json(service.fetch('/v1/inform/trigger', { body }), 202)).notificationId as string;
};

it('lists notifications newest first, by user, state and time, each page after the one before', async () => {
  const service = await start();
  const [one, two] = [await knownUser(service), await knownUser(service, { userId: 'u2' })];
  expect(await listOf(service, '/v1/inform/notifications', 'notifications')).toEqual([]);
  const made: string[] = [];
  for (let i = 0; i < 120; i++) made.push(await trigger(service, i % 3 === 0 ? one : two));
  await until(() => service.idle());

  const pages = await pagesOf(service, '/v1/inform/notifications', 'notifications');
  expect(pages.map((page) => page.length)).toEqual([100, 20]);
  const all = pages.flat();
  expect(new Set(all.map((each) => each.notificationId))).toEqual(new Set(made));
  const times = all.map(({ history }) => (history as [{ at: string }])[0].at);
  expect(times).toEqual([...times].sort().reverse());
  expect(all[0]).toEqual(
    await json(service.fetch(`/v1/inform/notifications/${all[0]!.notificationId}`), 200),
  );
  expect(validate(ENDPOINTS.listNotifications.answer, { notifications: all })).toMatchObject({ ok: true });

  const of = (query: string) => listOf(service, `/v1/inform/notifications?${query}`, 'notifications');
  expect((await of(`hashId=${one}`)).map((each) => each.hashId)).toEqual(Array(40).fill(one));
  expect(await of('status=failed')).toEqual([]);
  expect(await of('status=delivered')).toHaveLength(all.filter((each) => each.status === 'delivered').length);
  const middle = times[60]!;
  const [before, since] = [await of(`until=${middle}`), await of(`since=${middle}`)];
  expect(before.length + since.length).toBe(120);
  expect(since.length).toBeGreaterThanOrEqual(61);
  const { details } = await json(service.fetch('/v1/inform/notifications?status=lost'), 400);
  expect(details).toMatchObject([{ field: 'status' }]);
});

it('counts why notifications failed, and lists those of one reason', async () => {
  const service = await start();
  const [one, two] = [await knownUser(service), await knownUser(service, { userId: 'u2', devices: [] })];
  await trigger(service, one);
  const made = [];
  for (let i = 0; i < 3; i++) made.push(await trigger(service, two, { channel: 'email' }));
  await until(() => service.idle());
  const read = (query = '') => json(service.fetch(`/v1/inform/notifications${query}`), 200);
  const { notifications, failures, counts } = await read();
  expect(notifications).toHaveLength(4);
  const none = { queued: 0, held: 0, dispatched: 0, cancelled: 0 };
  expect(counts).toEqual({ ...none, delivered: 1, failed: 3 });
  expect((await read(`?status=failed&hashId=${one}`)).counts).toEqual({ ...none, delivered: 1, failed: 0 });
  const at = notifications[0].history[0].at;
  expect((await read(`?until=${at}`)).counts.delivered).toBe(1);
  expect((await read(`?since=${new Date(Date.parse(at) + 1).toISOString()}`)).counts.failed).toBe(0);
  expect(failures).toEqual([{ failure: expect.any(String), count: 3 }]);
  const [{ failure }] = failures;
  const query = `?failure=${encodeURIComponent(failure)}`;
  const found = await read(query);
  expect(found.failures).toEqual(failures);
  expect(found.notifications.map(({ notificationId }: Fields) => notificationId).sort()).toEqual(made.sort());
  expect((await read(`${query}&hashId=${one}`)).notifications).toEqual([]);
  expect((await read(`?hashId=${one}`)).failures).toEqual([]);
  expect((await read(`${query}x`)).notifications).toEqual([]);
});

it('bounds a page of notifications in bytes', async () => {
  const service = await start();
  const hashId = await knownUser(service);
  for (let i = 0; i < 3; i++) await trigger(service, hashId);
  await until(() => service.idle());
  const history = JSON.stringify([{ status: 'queued', at: 'x'.repeat(PAGE_BYTES - 1000) }]);
  await service.platform.store.write(({ sql }) =>
    sql.run('UPDATE notification SET history = ? WHERE workspace_id = ?', [history, service.workspace]),
  );
  const pages = await pagesOf(service, '/v1/inform/notifications', 'notifications');
  expect(pages.map((page) => page.length)).toEqual([1, 1, 1]);
});

it('lists the deliveries of all subscriptions of the workspace, newest first, by state', async () => {
  const service = await start();
  const [good, bad] = [await receiver(), await receiver((response) => response.writeHead(500).end())];
  const { id: first } = await subscribe(service, good.url);
  const { id: second } = await subscribe(service, bad.url);
  const { id: removed } = await subscribe(service, good.url);
  const hashId = await knownUser(service);
  for (let i = 0; i < 60; i++) await tap(service, hashId);
  await until(async () => good.received.length === 120 && bad.received.length >= 60);
  await until(
    async () => (await listOf(service, '/v1/deliveries?status=delivered', 'deliveries')).length === 120,
  );

  const pages = await pagesOf(service, '/v1/deliveries', 'deliveries');
  expect(pages.map((page) => page.length)).toEqual([100, 80]);
  const all = pages.flat();
  expect(new Set(all.map((each) => each.deliveryId)).size).toBe(180);
  const times = all.map(({ occurredAt }) => occurredAt as string);
  expect(times).toEqual([...times].sort().reverse());
  const of = (webhookId: string) => all.filter((each) => each.webhookId === webhookId);
  expect([of(first), of(second), of(removed)].map((list) => list.length)).toEqual([60, 60, 60]);
  expect(await listOf(service, `/v1/webhooks/${first}/deliveries`, 'deliveries')).toEqual(of(first));

  const pending = await listOf(service, '/v1/deliveries?status=pending', 'deliveries');
  expect(new Set(pending.map((each) => each.webhookId))).toEqual(new Set([second]));
  expect(pending).toHaveLength(60);
  // Attempts go on meanwhile: what they change is left out.
  const fixed = (list: Fields[]) => list.map(({ attempts, nextAttemptAt, ...rest }) => rest);
  expect(
    fixed(await listOf(service, `/v1/webhooks/${second}/deliveries?status=pending`, 'deliveries')),
  ).toEqual(fixed(pending));

  const middle = times[90]!;
  for (const path of ['/v1/deliveries', `/v1/webhooks/${first}/deliveries`]) {
    const [whole, before, since] = await Promise.all(
      ['', `?until=${middle}`, `?since=${middle}`].map((query) =>
        listOf(service, path + query, 'deliveries'),
      ),
    );
    expect(fixed([...since!, ...before!])).toEqual(fixed(whole!));
    expect(before!.every(({ occurredAt }) => (occurredAt as string) < middle)).toBe(true);
    expect(since!.every(({ occurredAt }) => (occurredAt as string) >= middle)).toBe(true);
  }

  await service.fetch(`/v1/webhooks/${removed}`, { method: 'DELETE' });
  expect(await listOf(service, '/v1/deliveries', 'deliveries')).toHaveLength(120);
});

it('shows one decision as the log does, and none of another name', async () => {
  const service = await start();
  const decisionId = await tap(service, await knownUser(service));
  const { decisions } = await json(service.fetch('/v1/decisions'), 200);
  expect(await json(service.fetch(`/v1/decisions/${decisionId}`), 200)).toEqual(decisions[0]);
  expect(decisions[0]).toMatchObject({ decisionId, reward: 0.6 });
  expect(await json(service.fetch('/v1/decisions/dec_unknown'), 404)).toMatchObject({
    message: 'No decision has this identifier.',
  });
});
