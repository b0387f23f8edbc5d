import { expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../../src/contract/endpoints.ts';
import { pathOf } from '../../../../src/contract/path-of.ts';
import { createWorkspace, revokeKey, updateWorkspace } from '../../../../src/service/admin/accounts.ts';
import { reasonOf, withClients } from '../../../support/process/clients.ts';
import { startTestService } from '../../../support/process/service.ts';
import { advance } from '../../../support/process/test-clock.ts';

it('an app lists the messages of its user and reports their outcomes', async () => {
  const { ada, tokenFor, decided, app } = await withClients();
  const token = await tokenFor(ada);
  const decisionId = await decided(ada);
  const listed = await app(`/v1/messages?hashId=${ada}`, token);
  expect([listed.status, listed.headers.get('x-service-ratelimit-limit')]).toEqual([200, '60']);
  expect(await listed.json()).toMatchObject({ messages: [{ decisionId }] });
  const outcome = await app(`/v1/messages/${decisionId}/outcomes`, token, { body: { type: 'clicked' } });
  expect(outcome.status).toBe(202);
  expect(await (await app(`/v1/messages?hashId=${ada}`, token)).json()).toEqual({ messages: [] });
});

it('a publishable key can do nothing else, with a token or without', async () => {
  const { ada, tokenFor, app } = await withClients();
  const token = await tokenFor(ada);
  const closed = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(
    ([, { forClients }]) => !forClients,
  );
  expect(closed.length).toBe(Object.keys(ENDPOINTS).length - 3);
  for (const [name, { method, path, request }] of closed) {
    const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => [param, ada]));
    for (const sent of [token, undefined]) {
      const answer = await app(pathOf(name, params), sent, { method, ...(request ? { body: {} } : {}) });
      expect([name, answer.status]).toEqual([name, 403]);
    }
  }
});

it('a token opens the messages and outcomes of its own user only', async () => {
  const { service, ada, bo, tokenFor, decided, app } = await withClients();
  const token = await tokenFor(ada);
  const ofBo = await decided(bo);
  const listed = await app(`/v1/messages?hashId=${bo}`, token);
  expect([listed.status, await reasonOf(listed)]).toEqual([403, 'The user token is of another user.']);
  for (const query of [`hashId=${ada}&hashId=${bo}`, `hashId=${bo}&hashId=${ada}`]) {
    const twice = await app(`/v1/messages?${query}`, token);
    expect(JSON.stringify(await twice.json())).not.toContain(ofBo);
  }
  const outcome = { type: 'clicked' };
  const foreign = await app(`/v1/messages/${ofBo}/outcomes`, token, { body: outcome });
  const unknown = await app('/v1/messages/dec_none/outcomes', token, { body: outcome });
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  expect(await reasonOf(foreign)).toBe(await reasonOf(unknown));
  // The answer to the same request of another user is not given again under the same idempotency key.
  const headers = { 'idempotency-key': 'one' };
  const path = `/v1/messages/${ofBo}/outcomes`;
  expect((await app(path, await tokenFor(bo), { body: outcome, headers })).status).toBe(202);
  expect((await app(path, token, { body: outcome, headers })).status).toBe(404);
  const ofServer = await service.fetch(path, { body: outcome, headers });
  expect([ofServer.status, ofServer.headers.get('idempotent-replayed')]).toEqual([202, null]);
});

it('refuses a token that is missing, changed, expired, or of another workspace', async () => {
  const { service, ada, tokenFor, app } = await withClients();
  const token = await tokenFor(ada);
  const { store } = service.platform;
  const other = await createWorkspace(store, 'other', 'test');
  const asOther = { authorization: `Bearer ${other.key}`, 'x-service-workspace': 'other' };
  const foreign = (await (
    await service.fetch(`/v1/users/${ada}/tokens`, { body: {}, headers: asOther })
  ).json()) as { token: string };
  const [head, claims, mac] = /^(ut_)(.+)\.(.+)$/.exec(token)!.slice(1) as [string, string, string];
  const later = Buffer.from(
    Buffer.from(claims, 'base64url')
      .toString()
      .replace(/^\d+/, (seconds) => String(Number(seconds) + 60)),
  ).toString('base64url');
  // A genuine token is remembered, which admits no other.
  expect((await app(`/v1/messages?hashId=${ada}`, token)).status).toBe(200);
  const swapped = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
  for (const [sent, message] of [
    [undefined, /needs a user token/],
    ['', /needs a user token|not valid/],
    [foreign.token, /not valid in this workspace/],
    [`${head}${later}.${mac}`, /not valid/],
    [`${head}${claims}.${swapped}`, /not valid/],
    [token.slice(0, -1), /not valid/],
    [`${token}x`, /not valid/],
    ['x'.repeat(8000), /not valid/],
  ] as const) {
    const answer = await app(`/v1/messages?hashId=${ada}`, sent);
    expect([answer.status, await reasonOf(answer)], String(sent)).toEqual([
      401,
      expect.stringMatching(message),
    ]);
  }
  for (const ttlSeconds of [59, 86_401, 60.5, '60', null]) {
    const answer = await service.fetch(`/v1/users/${ada}/tokens`, { body: { ttlSeconds } });
    expect([ttlSeconds, answer.status]).toEqual([ttlSeconds, 400]);
  }
});

it('a token ends at its time, on every node', async () => {
  const { service, ada, key, tokenFor } = await withClients({ testClock: true });
  const node = await startTestService({ database: service.database });
  const token = await tokenFor(ada);
  const headers = { authorization: `Bearer ${key}`, 'x-service-user-token': token };
  const status = async () => (await node.fetch(`/v1/messages?hashId=${ada}`, { headers })).status;
  expect(await status()).toBe(200);
  await advance(service, 50 * 60_000);
  expect(await status()).toBe(200);
  await advance(service, 11 * 60_000);
  expect(await status()).toBe(401);
});

it('a revoked publishable key is refused at once; its server key goes on', async () => {
  const { service, keyId, ada, tokenFor, app } = await withClients();
  const token = await tokenFor(ada);
  await revokeKey(service.platform.store, keyId);
  expect((await app(`/v1/messages?hashId=${ada}`, token)).status).toBe(401);
  expect((await service.fetch('/v1/webhooks')).status).toBe(200);
});

it('only a test workspace that says so needs no token, and never again once it was live', async () => {
  const { service, ada, bo, app } = await withClients();
  const { store } = service.platform;
  const { workspace } = service;
  const list = async (hashId: string) => (await app(`/v1/messages?hashId=${hashId}`, undefined)).status;
  expect(await list(ada)).toBe(401);
  await updateWorkspace(store, workspace, { openClients: true });
  expect([await list(ada), await list(bo)]).toEqual([200, 200]);
  await updateWorkspace(store, workspace, { mode: 'live' });
  expect(await list(ada)).toBe(401);
  await expect(updateWorkspace(store, workspace, { openClients: true })).rejects.toThrow('no test workspace');
  await updateWorkspace(store, workspace, { mode: 'test' });
  expect(await list(ada)).toBe(401);
});

it('one user, one address and one key have limits, which leave those of the workspace alone', async () => {
  const { service, ada, bo, tokenFor, app } = await withClients({
    limits: { reads: 5 },
    clientLimits: { user: 3, address: 10, key: 5 },
  });
  const tokens = [await tokenFor(ada), await tokenFor(bo)] as const;
  const poll = (hashId: string, token: string) => app(`/v1/messages?hashId=${hashId}`, token);
  const many = async (times: number, hashId: string, token: string) => {
    const answers: Response[] = [];
    for (let n = 0; n < times; n++) answers.push(await poll(hashId, token));
    return answers;
  };
  const own = await many(6, ada, tokens[0]);
  expect(own.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429]);
  expect(await reasonOf(own[3]!)).toMatch(/^The user is over/);
  expect(Number(own[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
  // Another user is served until the key is at its limit: what was refused for a user does not count there.
  const others = await many(3, bo, tokens[1]);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(await reasonOf(others[2]!)).toMatch(/^The publishable key is over/);
  const [, last] = await many(2, bo, tokens[1]);
  expect([last!.status, await reasonOf(last!)]).toEqual([429, expect.stringMatching(/^The address is over/)]);
  expect((await service.fetch('/v1/webhooks')).headers.get('x-service-ratelimit-remaining')).toBe('4');
});

it('behind a trusted proxy each client has its own address; nobody else can name one', async () => {
  const run = async (trustedProxies: string[]) => {
    const { ada, bo, tokenFor, app } = await withClients({
      trustedProxies,
      clientLimits: { address: 1, user: null, key: null },
    });
    const from = async (hashId: string, forwarded: string) => {
      const headers = { 'x-forwarded-for': forwarded };
      return (await app(`/v1/messages?hashId=${hashId}`, await tokenFor(hashId), { headers })).status;
    };
    return [
      await from(ada, '203.0.113.1'),
      await from(bo, '203.0.113.2'),
      // What the client wrote itself comes before what the proxy added.
      await from(bo, '198.51.100.9, 203.0.113.2'),
      await from(ada, '198.51.100.9, 203.0.113.7, 127.0.0.9'),
      await from(ada, '2001:db8:1:2::1'),
      await from(ada, '2001:db8:1:2:ffff::9'),
    ];
  };
  expect(await run(['127.0.0.0/8'])).toEqual([200, 200, 429, 200, 200, 429]);
  expect(await run([])).toEqual([200, 429, 429, 429, 429, 429]);
});

it('a web page needs an origin that the workspace names', async () => {
  const { service, ada, tokenFor, app } = await withClients();
  const token = await tokenFor(ada);
  const page = 'https://shop.example';
  const list = (origin: string) => app(`/v1/messages?hashId=${ada}`, token, { headers: { origin } });
  const ask = (origin: string, path = '/v1/messages') =>
    fetch(service.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    });
  const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');
  expect([(await list(page)).status, allowed(await ask(page))]).toEqual([403, null]);
  const { store } = service.platform;
  await updateWorkspace(store, service.workspace, { origins: [page] });
  const listed = await list(page);
  expect([listed.status, allowed(listed), listed.headers.get('vary')]).toEqual([200, page, 'Origin']);
  expect(listed.headers.get('access-control-expose-headers')).toMatch(/retry-after.*, date, etag$/);
  expect(listed.headers.get('access-control-allow-credentials')).toBeNull();
  const asked = await ask(page);
  expect([asked.status, allowed(asked)]).toEqual([204, page]);
  expect(asked.headers.get('access-control-allow-headers')).toContain('x-service-user-token');
  expect(allowed(await ask(page, `/v1/messages/dec_1/outcomes`))).toBe(page);
  for (const origin of ['https://evil.example', 'https://shop.example.evil', 'http://shop.example', 'null'])
    expect([(await list(origin)).status, allowed(await ask(origin))], origin).toEqual([403, null]);
  // Other operations are never for web pages.
  expect((await ask(page, '/v1/users')).status).toBe(405);
  expect(allowed(await ask(page, '/v1/events'))).toBe(page);
  const server = await service.fetch('/v1/webhooks', { headers: { origin: page } });
  expect([server.status, allowed(server)]).toEqual([200, null]);
  // An error can be read by the page too.
  expect(allowed(await app('/v1/messages?hashId=', token, { headers: { origin: page } }))).toBe(page);
  await updateWorkspace(store, service.workspace, { origins: ['*'] });
  expect((await list('https://anywhere.example')).status).toBe(200);
});
