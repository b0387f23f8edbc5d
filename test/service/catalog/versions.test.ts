import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const content = (contentId: string, rest: object = {}) => ({
  contentId,
  ...{ category: 'any', format: 'card', title: contentId, body: 'Body' },
  ...rest,
});
const catalog = (...ids: string[]) => ({ contents: ids.map((id) => content(id)) });

async function ask<T = Record<string, unknown>>(
  service: TestService,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<{ status: number; body: T }> {
  const answer = await service.fetch(path, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(headers ? { headers } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}
const put = (service: TestService, given: object, more: object = {}) =>
  ask(service, 'PUT', '/v1/catalog', { catalog: given, ...more });
const current = async (service: TestService) =>
  (await ask<AnswerOf<'getCatalog'>>(service, 'GET', '/v1/catalog')).body;
const chosen = async (service: TestService) =>
  (await ask<AnswerOf<'decide'>>(service, 'POST', '/v1/decisioning/decide', { hashId: 'h' })).body.action
    .contentId;

function fileOf(given: object, changedAt?: Date): string {
  const path = join(tempDir(), 'catalog.json');
  writeFileSync(path, JSON.stringify(given));
  if (changedAt) utimesSync(path, changedAt, changedAt);
  return path;
}

it('stores a catalog as a version, which every node uses, and refuses what is based on an older one', async () => {
  const service = await startTestService();
  const other = await startTestService({ database: service.database });
  expect(await current(service)).toMatchObject({ version: 0, readOnly: false, createdAt: null });
  const first = await put(service, catalog('one'), { ifVersion: 0, author: 'ada', note: 'first' });
  expect(first).toMatchObject({
    status: 200,
    body: { version: 1, author: 'ada', note: 'first', unchanged: false },
  });
  for (const node of [service, other]) await expect.poll(() => chosen(node)).toBe('one');
  // An object has no order of names.
  const again = await put(service, {
    contents: [Object.fromEntries(Object.entries(content('one')).reverse())],
  });
  expect(again.body).toMatchObject({ version: 1, unchanged: true });
  const late = await put(other, catalog('late'), { ifVersion: 0 });
  expect(late).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect((await put(other, catalog('two'), { ifVersion: 1, author: 'bob' })).body).toMatchObject({
    version: 2,
  });
  for (const node of [service, other]) await expect.poll(() => chosen(node)).toBe('two');
});

it('answers errors with their paths, and stores nothing then', async () => {
  const service = await startTestService();
  const wrong = { contents: [content('a', { format: 'poster' }), content('b', { activeFrom: 'soon' })] };
  const checked = await ask(service, 'POST', '/v1/catalog/validate', { catalog: wrong });
  expect(checked.body).toMatchObject({
    valid: false,
    issues: [{ path: 'contents[0].format' }, { path: 'contents[1].activeFrom' }],
  });
  expect(await put(service, wrong)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'contents[0].format' }, { field: 'contents[1].activeFrom' }] },
  });
  const ends = content('c', { activeFrom: '2026-02-01T00:00:00Z', activeUntil: '2026-01-01T00:00:00Z' });
  expect((await put(service, { contents: [ends] })).status).toBe(400);
  expect((await put(service, [] as object)).status).toBe(400);
  expect(await current(service)).toMatchObject({ version: 0 });
  const { body } = await ask(service, 'POST', '/v1/catalog/validate', { catalog: catalog('fine') });
  expect(body).toEqual({ valid: true, issues: [], warnings: [] });
});

it('names some of the authors whose changes would be undone', async () => {
  const service = await startTestService();
  for (let i = 0; i < 8; i++) await put(service, catalog(`c${i}`), { author: `author ${i}` });
  const { status, body } = await ask(service, 'POST', '/v1/catalog/revert', { to: 0, author: 'ada' });
  expect(status).toBe(409);
  const { message } = body as { message: string };
  expect(message.match(/author \d/g)).toHaveLength(5);
  expect(message).toContain(' and 3 others. ');
});

it('keeps versions, and goes back without undoing others unasked', async () => {
  const service = await startTestService();
  for (const [id, author] of [
    ['one', 'ada'],
    ['two', 'ada'],
    ['three', 'bob'],
  ] as const)
    expect((await put(service, catalog(id), { author })).status).toBe(200);
  const versions = await ask<AnswerOf<'listCatalogVersions'>>(service, 'GET', '/v1/catalog/versions');
  expect(versions.body.current).toBe(3);
  expect(versions.body.versions.map(({ version, author }) => [version, author])).toEqual([
    [3, 'bob'],
    [2, 'ada'],
    [1, 'ada'],
  ]);
  const times = versions.body.versions.map(({ createdAt }) => createdAt);
  const numbers = async (query: string) =>
    (
      await ask<AnswerOf<'listCatalogVersions'>>(service, 'GET', `/v1/catalog/versions?${query}`)
    ).body.versions.map(({ version }) => version);
  expect(await numbers(`until=${times[0]}`)).not.toContain(3);
  expect(await numbers(`since=${times[2]}`)).toEqual([3, 2, 1]);
  expect(await numbers(`until=${times[2]}`)).toEqual([]);
  expect(await numbers('since=2100-01-01T00:00:00Z')).toEqual([]);
  const second = await ask(service, 'GET', '/v1/catalog/versions/2');
  expect(second.body).toMatchObject({ author: 'ada', catalog: catalog('two') });
  for (const version of ['00', '9', '1e3', '%2e'])
    expect((await ask(service, 'GET', `/v1/catalog/versions/${version}`)).status, version).toBe(404);
  const revert = (given: object) => ask(service, 'POST', '/v1/catalog/revert', given);
  expect(await revert({ author: 'ada' })).toMatchObject({ status: 409 });
  expect(await revert({ author: 'bob' })).toMatchObject({ status: 200, body: { version: 4, author: 'bob' } });
  expect(await current(service)).toMatchObject({ version: 4, catalog: catalog('two') });
  expect(await revert({ to: 1, author: 'ada', over: 3 })).toMatchObject({ status: 409 });
  expect(await revert({ to: 1, author: 'ada', over: 4 })).toMatchObject({
    status: 200,
    body: { version: 5 },
  });
  expect(await revert({ to: 77 })).toMatchObject({ status: 404 });
  await expect.poll(() => chosen(service)).toBe('one');
});

it('lets a file lead: it is read-only, the newest file holds once, and what was stored last after it', async () => {
  const service = await startTestService();
  await put(service, catalog('stored'));
  const older = fileOf(catalog('older'), new Date('2026-01-01T00:00:00Z'));
  const newer = fileOf(catalog('newer'), new Date('2026-02-01T00:00:00Z'));
  const lines: string[] = [];
  const led = await startTestService({ database: service.database, catalog: newer });
  const late = await startTestService({
    ...{ database: service.database, catalog: older },
    log: (_, message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  });
  for (const node of [led, late, service]) await expect.poll(() => chosen(node)).toBe('newer');
  expect(lines.join()).toMatch(/catalog file of another node was changed later/);
  expect(await current(service)).toMatchObject({ version: 0, readOnly: true, catalog: catalog('newer') });
  expect((await current(service)).reason).toMatch(/catalog\.json.*without --catalog/s);
  expect(await put(service, catalog('refused'))).toMatchObject({ status: 409 });
  await led.close(0);
  // The other file holds on to the authority, and changes nothing.
  await expect.poll(async () => (await current(service)).readOnly).toBe(true);
  await late.close(0);
  await expect.poll(async () => (await current(service)).readOnly).toBe(false);
  expect(await current(service)).toMatchObject({ catalog: catalog('newer') });
  expect((await put(service, catalog('again'))).status).toBe(200);
  await expect.poll(() => chosen(service)).toBe('again');
});

it('does not choose a paused content, and holds the notifications of a paused template until it goes on', async () => {
  const service = await startTestService();
  const template = (rest: object) => ({
    ...catalog('one'),
    templates: [{ templateId: 't', priority: 'transactional', body: 'Hello', ...rest }],
  });
  await put(service, { ...template({ paused: true }), contents: [content('one', { paused: true })] });
  await expect.poll(() => chosen(service)).toBe('');
  const { body } = await ask<AnswerOf<'ingestUsers'>>(service, 'POST', '/v1/users', {
    users: [{ userId: 'u', phone: '+441632960017' }],
  });
  const { hashId } = body.users[0]!;
  const trigger = () =>
    ask(service, 'POST', '/v1/inform/trigger', { hashId, templateId: 't', channel: 'sms' });
  const { notificationId } = (await trigger()).body;
  const record = async () =>
    (await ask<AnswerOf<'getNotification'>>(service, 'GET', `/v1/inform/notifications/${notificationId}`))
      .body;
  await expect.poll(async () => (await record()).status).toBe('held');
  expect((await record()).history.at(-1)).toMatchObject({ status: 'held', reason: 'paused' });
  await put(service, template({}));
  await expect.poll(async () => (await record()).status).toMatch(/dispatched|delivered/);
  await put(service, template({ activeUntil: '2026-01-01T00:00:00Z' }));
  await expect.poll(async () => (await trigger()).status).toBe(404);
});

it('keeps the catalogs of workspaces apart', async () => {
  const { createWorkspace } = await import('../../../src/service/admin/accounts.ts');
  const service = await startTestService();
  const made = await createWorkspace(service.platform.store, undefined, 'test');
  const headers = { authorization: `Bearer ${made.key}`, 'x-service-workspace': made.workspace };
  expect((await put(service, catalog('mine'))).status).toBe(200);
  const theirs = await ask<AnswerOf<'getCatalog'>>(service, 'GET', '/v1/catalog', undefined, headers);
  expect(theirs.body).toMatchObject({ version: 0 });
  await expect.poll(() => chosen(service)).toBe('mine');
  const other = await ask<AnswerOf<'decide'>>(
    ...[service, 'POST', '/v1/decisioning/decide', { hashId: 'h' }, headers],
  );
  expect(other.body.action.contentId).not.toBe('mine');
});
