import { expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';

const HOUR_MS = 3_600_000;

const list = async (service: TestService, query = '') => {
  const answer = await service.fetch(`/v1/messages/latest${query}`);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as AnswerOf<'listLatestMessages'>;
};
const send = async <T = Record<string, unknown>>(service: TestService, path: string, body: unknown) => {
  const answer = await service.fetch(path, { body });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as T;
};
const decide = async (service: TestService, hashId: string, surface: string, channel = 'in-app') =>
  (
    await send<{ decisionId: string }>(service, '/v1/decisioning/decide', {
      hashId,
      context: { channel, surface },
    })
  ).decisionId;
const report = (service: TestService, decisionId: string, type: string) =>
  send(service, `/v1/messages/${decisionId}/outcomes`, { type });
const statesOf = ({ messages }: AnswerOf<'listLatestMessages'>) =>
  Object.fromEntries(messages.map(({ decisionId, state }) => [decisionId, state]));

test('messages are listed newest first with what became of them', async () => {
  const service = await startTestService({ testClock: true });
  expect(await list(service)).toEqual({ messages: [] });
  const { users } = await send<{ users: [{ hashId: string }, { hashId: string }] }>(service, '/v1/users', {
    users: [{ userId: 'a', name: 'Ada Lovelace' }, { userId: 'b' }],
  });
  const [{ hashId }, other] = users;
  await service.fetch(`/v1/messages?hashId=${hashId}&channel=in-app`);
  const ended = await decide(service, hashId, 'home');
  await advance(service, 40 * 24 * HOUR_MS);
  const begin = new Date(service.platform.clock.now()).toISOString();
  await service.fetch(`/v1/messages?hashId=${hashId}&channel=in-app`);
  const tapped = await decide(service, hashId, 'home');
  const dismissed = await decide(service, hashId, 'account');
  const opened = await decide(service, hashId, 'offers');
  const served = await decide(service, hashId, 'end');
  await advance(service, HOUR_MS);
  await service.fetch(`/v1/messages?hashId=${hashId}&channel=in-app`);
  await advance(service, HOUR_MS);
  await report(service, tapped, 'opened');
  await advance(service, HOUR_MS);
  await report(service, tapped, 'clicked');
  await report(service, dismissed, 'dismissed');
  await report(service, opened, 'opened');
  const waiting = await decide(service, other.hashId, 'home');
  // For a notification, which is no message of an app.
  await decide(service, other.hashId, 'home', 'email');

  const { messages } = await list(service);
  expect(messages.map(({ decisionId, state }) => [decisionId, state])).toEqual([
    [waiting, 'waiting'],
    [served, 'served'],
    [opened, 'opened'],
    [dismissed, 'dismissed'],
    [tapped, 'tapped'],
    [ended, 'ended'],
  ]);
  expect(messages[0]).toMatchObject({ hashId: other.hashId, servedAt: null, outcomes: [] });
  expect(messages[1]).toMatchObject({ context: { channel: 'in-app', surface: 'end' }, outcomes: [] });
  const hours = (at: string) => Math.round((Date.parse(at) - Date.parse(begin)) / HOUR_MS);
  expect(messages.map((message) => message.servedAt && hours(message.servedAt))).toEqual([
    null,
    1,
    1,
    1,
    1,
    null,
  ]);
  expect(messages[4]!.outcomes.map(({ type, at }) => [type, hours(at)])).toEqual([
    ['opened', 2],
    ['clicked', 3],
  ]);
  expect(JSON.stringify(messages)).not.toContain('Ada');

  expect(statesOf(await list(service, '?state=tapped'))).toEqual({ [tapped]: 'tapped' });
  expect(statesOf(await list(service, `?decisionId=${opened}`))).toEqual({ [opened]: 'opened' });
  expect(statesOf(await list(service, `?hashId=${other.hashId}`))).toEqual({ [waiting]: 'waiting' });
  expect(statesOf(await list(service, '?surface=account'))).toEqual({ [dismissed]: 'dismissed' });
  expect(statesOf(await list(service, `?until=${begin}`))).toEqual({ [ended]: 'ended' });
  expect(Object.keys(statesOf(await list(service, `?since=${begin}`)))).not.toContain(ended);
  const { contentId } = messages[0]!;
  const ofContent = await list(service, `?contentId=${contentId}`);
  expect(new Set(ofContent.messages.map((message) => message.contentId))).toEqual(new Set([contentId]));
  expect(statesOf(ofContent)).toMatchObject({ [waiting]: 'waiting' });
});

test('a page has at most 100 messages, and each is on one page, also of a filter', async () => {
  const service = await startTestService();
  const { users } = await send<{ users: { hashId: string }[] }>(service, '/v1/users', {
    users: Array.from({ length: 130 }, (_, i) => ({ userId: `u${i}` })),
  });
  for (const { hashId } of users) {
    await decide(service, hashId, 'home');
    await decide(service, hashId, 'offers');
  }
  for (const [query, all] of [
    ['', 260],
    ['&surface=home', 130],
  ] as const) {
    const pages = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { messages, next }: AnswerOf<'listLatestMessages'> = await list(
        service,
        `?${after && `after=${after}`}${query}`,
      );
      pages.push(messages.map(({ decisionId }) => decisionId));
      after = next;
    }
    expect(Math.max(...pages.map(({ length }) => length))).toBe(100);
    expect(pages.flat()).toHaveLength(all);
    expect(new Set(pages.flat()).size).toBe(all);
  }
  expect((await service.fetch('/v1/messages/latest?state=lost')).status).toBe(400);
});

test('a message of a content that is not shown any more has ended, also before an app asks for it', async () => {
  const service = await startTestService();
  const { users } = await send<{ users: { hashId: string }[] }>(service, '/v1/users', {
    users: [{ userId: 'u' }],
  });
  const decisionId = await decide(service, users[0]!.hashId, 'home');
  const { contentId } = (await list(service)).messages[0]!;
  expect(statesOf(await list(service))).toEqual({ [decisionId]: 'waiting' });
  const { catalog } = (await (await service.fetch('/v1/catalog')).json()) as {
    catalog: { contents: { contentId: string }[] };
  };
  const contents = catalog.contents.map((each) =>
    each.contentId === contentId ? { ...each, paused: true } : each,
  );
  const put = await service.fetch('/v1/catalog', {
    method: 'PUT',
    body: { catalog: { ...catalog, contents } },
  });
  expect(put.status, await put.clone().text()).toBe(200);
  await expect.poll(async () => statesOf(await list(service))).toEqual({ [decisionId]: 'ended' });
  const { messages } = (await (await service.fetch(`/v1/messages?hashId=${users[0]!.hashId}`)).json()) as {
    messages: unknown[];
  };
  expect(messages).toEqual([]);
});

test('looks at no more decisions for a page, however few of them chose a content', async () => {
  const service = await startTestService();
  const { users } = await send<{ users: { hashId: string }[] }>(service, '/v1/users', {
    users: [{ userId: 'u' }],
  });
  const { hashId } = users[0]!;
  const decisionId = await decide(service, hashId, 'home');
  const { store } = service.platform;
  const isSqlite = store.dialect.name === 'sqlite';
  // Decisions for which no content was eligible.
  await store.write(({ sql }) =>
    sql.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)
       INSERT INTO decision (workspace_id, decision_id, ${isSqlite ? 'seq, ' : ''}hash_id, at_ms, context, candidates,
         model_version, seed)
       SELECT ?, 'none' || i, ${isSqlite ? '1000 + i, ' : ''}?, ${Date.now()}, '{}', '[]', 0, '' FROM n`,
      [service.workspace, hashId],
    ),
  );
  const first = await list(service);
  expect(first.messages).toEqual([]);
  const { messages, next } = await list(service, `?after=${first.next}`);
  expect(messages.map((each) => each.decisionId)).toEqual([decisionId]);
  expect(next).toBeUndefined();
  expect((await list(service, `?hashId=${hashId}`)).messages).toHaveLength(1);
});
