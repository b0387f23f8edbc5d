import { expect, it } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import {
  json,
  knownUser,
  receiver,
  start,
  subscribe,
  tap,
  until,
} from '../../support/process/webhooks-service.ts';

it('logs that a subscription was disabled by its handler', async () => {
  const logged: unknown[] = [];
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    log: (level, message, fields) => void logged.push({ level, message, ...fields }),
  });
  const target = await receiver((response) => void response.writeHead(410).end());
  const { id: webhookId } = await subscribe(service, target.url);
  await tap(service, await knownUser(service));
  const line = { level: 'warn', message: 'a subscription was disabled', workspaceId: service.workspace };
  const reason = 'the receiver answered 410 Gone';
  await expect.poll(() => logged).toContainEqual({ ...line, webhookId, reason });
});

it('counts in a list how much of each subscription waits, where that is asked for', async () => {
  const service = await start();
  const list = async () => (await json(service.fetch('/v1/webhooks?pending=true'), 200)).webhooks;
  expect(await list()).toEqual([]);
  const broken = await receiver((response) => void response.writeHead(500).end());
  const well = await receiver();
  const ids: string[] = [];
  for (const { url } of [broken, well]) ids.push((await subscribe(service, url)).id);
  const hashId = await knownUser(service);
  for (let i = 0; i < 3; i++) await tap(service, hashId);
  const counts = async () =>
    (await list()).map(({ id, pending }: { id: string; pending: number }) => [id, pending]);
  await expect.poll(counts).toEqual([
    [ids[0], 3],
    [ids[1], 0],
  ]);
  expect(await json(service.fetch('/v1/webhooks'), 200)).not.toMatchObject({
    webhooks: [{ pending: expect.anything() }, {}],
  });
});

it('delivers, counts and catches up with what passes the filter of a subscription', async () => {
  const service = await start();
  const target = await receiver();
  const filter = 'type:campaign.c* contentId:* -surface:home';
  const made = await subscribe(service, target.url, { filter, description: 'of the mailer' });
  expect(made).toMatchObject({ filter, description: 'of the mailer' });
  const path = `/v1/webhooks/${made.id}`;
  const patch = (body: unknown, status = 200) => json(service.fetch(path, { method: 'PATCH', body }), status);
  const hashId = await knownUser(service);
  await tap(service, hashId, 'opened');
  const first = await tap(service, hashId);
  await until(async () => target.received.length === 1);
  await patch({ status: 'disabled' });
  await tap(service, hashId, 'opened');
  const second = await tap(service, hashId);
  expect((await json(service.fetch(path), 200)).missed).toMatchObject({ outcomes: 1, erased: 0 });
  await patch({ status: 'active', from: 'disabled' });
  await until(async () => target.received.length === 2);
  const got = target.received.map(({ body }) => JSON.parse(body.toString()).decisionId);
  expect(got).toEqual([first, second]);

  expect(await patch({ filter: 'channel:push  user:u1' }, 400)).toMatchObject({
    details: [{ field: 'filter', message: expect.stringContaining('(at character 15)') }],
  });
  expect(await patch({ filter: '', description: '' })).not.toHaveProperty('filter');
});

it('sends what a disabled subscription missed if it is asked for, and says how much that is', async () => {
  const service = await start();
  const target = await receiver();
  const { id } = await subscribe(service, target.url);
  const path = `/v1/webhooks/${id}`;
  const patch = (body: unknown, status = 200) => json(service.fetch(path, { method: 'PATCH', body }), status);
  const hashId = await knownUser(service);
  expect(await patch({ status: 'active', from: 'disabled' })).toMatchObject({ missed: { outcomes: 0 } });
  expect((await json(service.fetch(path), 200)).missed).toBeUndefined();

  const { disabledAt } = await patch({ status: 'disabled' });
  const missed = [await tap(service, hashId), await tap(service, hashId)];
  expect((await json(service.fetch(path), 200)).missed).toEqual({ from: disabledAt, outcomes: 2, erased: 0 });
  expect(await json(service.fetch(`${path}?from=2020-01-01T00:00:00Z`), 200)).toMatchObject({
    missed: { from: '2020-01-01T00:00:00.000Z', outcomes: 2, removedBefore: expect.stringMatching(/Z$/) },
  });
  for (const from of ['yesterday', 5]) await patch({ status: 'active', from }, 400);
  await patch({ from: 'disabled' }, 409);

  await patch({ status: 'active' });
  const after = await tap(service, hashId);
  await until(async () => target.received.length === 1);
  const caught = await patch({ status: 'active', from: 'disabled' });
  expect(caught).toMatchObject({ status: 'active', missed: { outcomes: 3 }, catchingUp: { queued: 0 } });
  await until(async () => target.received.length === 3);
  // All was read, and the end is read again for a while.
  const { catchingUp } = await json(service.fetch(path), 200);
  expect(catchingUp).toMatchObject({ queued: 2, allQueued: true });
  expect(Date.parse(catchingUp.reached)).toBeGreaterThan(Date.parse(disabledAt));
  const bodies = target.received.map(({ body }) => JSON.parse(body.toString()).decisionId);
  expect(bodies[0]).toBe(after);
  expect(bodies.slice(1).sort()).toEqual(missed.sort());
  expect((await json(service.fetch(path), 200)).catchingUp).toMatchObject({ queued: 2 });
});

it('a subscription made with from gets what occurred before, then what occurs: in order, without a gap or a double', async () => {
  const service = await start();
  const hashId = await knownUser(service);
  const before: string[] = [];
  for (let i = 0; i < 150; i++) before.push(await tap(service, hashId));
  const target = await receiver((response) => {
    setTimeout(() => response.writeHead(204).end(), 20);
  });
  const made = await subscribe(service, target.url, { from: '2020-01-01T00:00:00Z' });
  expect(made).toMatchObject({ missed: { outcomes: 150 }, catchingUp: { queued: 0 } });
  const live: string[] = [];
  const decisions = () => target.received.map(({ body }) => JSON.parse(body.toString()).decisionId as string);
  // Some while it catches up, and some later, which come at once.
  while (target.received.length < 150) live.push(await tap(service, hashId));
  expect(live.length).toBeGreaterThan(5);
  await until(async () => target.received.length === 150 + live.length);
  await expect
    .poll(async () =>
      service.platform.store.read((tx) =>
        tx.sql.all('SELECT in_order AS "inOrder" FROM webhook WHERE workspace_id = ?', [service.workspace]),
      ),
    )
    .toMatchObject([{ inOrder: 0 }]);
  for (let i = 0; i < 3; i++) live.push(await tap(service, hashId));
  await until(async () => target.received.length === 150 + live.length);
  const got = decisions();
  expect([...got].sort()).toEqual([...before, ...live].sort());
  // 32 are sent at a time.
  expect(before).toEqual(expect.arrayContaining(got.slice(0, 150 - 32)));
});

it('a subscription that is disabled while it catches up in order gets what occurred until then', async () => {
  const service = await start();
  const hashId = await knownUser(service);
  const wanted: string[] = [];
  for (let i = 0; i < 100; i++) wanted.push(await tap(service, hashId));
  const target = await receiver((response) => {
    setTimeout(() => response.writeHead(204).end(), 50);
  });
  const { id } = await subscribe(service, target.url, { from: '2020-01-01T00:00:00Z' });
  const patch = (body: unknown) => json(service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body }), 200);
  for (let i = 0; i < 3; i++) wanted.push(await tap(service, hashId));
  await patch({ status: 'disabled' });
  await tap(service, hashId);
  await patch({ status: 'active' });
  wanted.push(await tap(service, hashId));
  const got = () =>
    target.received.map(({ body }) => JSON.parse(body.toString()).decisionId as string).sort();
  await expect.poll(got).toEqual([...wanted].sort());
});
