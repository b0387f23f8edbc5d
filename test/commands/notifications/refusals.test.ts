import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** A service with the templates `offer`, `paused` and `order_news`, and a user who has these fields. */
async function serviceWith(user: object, marketing: object = {}) {
  const catalog = join(tempDir(), 'catalog.json');
  const templates = [
    { templateId: 'offer', body: 'An offer' },
    { templateId: 'paused', paused: true, body: 'Later' },
    { templateId: 'order_news', body: 'Only here' },
  ];
  writeFileSync(catalog, JSON.stringify({ contents: [], templates, settings: { marketing } }));
  const service = await startTestService({ catalog });
  const users = [{ userId: 'u', phone: '+441632960017', ...user }];
  const answer = await service.fetch('/v1/users', { body: { users } });
  const { hashId } = ((await answer.json()) as { users: [{ hashId: string }] }).users[0];
  const argv = (template: string) => [
    'notify',
    '--hash-id',
    hashId,
    '--template',
    template,
    '--channel',
    'sms',
  ];
  return { env: service.env, hashId, argv };
}

test.each([
  ['opted_out', { optOut: ['sms'] }, {}],
  ['not_opted_in', {}, { requireOptIn: true }],
])('a notification that fails with %s names the command for consent', async (failure, user, marketing) => {
  const { env, hashId, argv } = await serviceWith(user, marketing);
  const run = await runSvc([...argv('offer'), '--wait'], { env });
  expect(run.code).toBe(5);
  expect(run.stderr).toContain(`failed: ${failure}, because the user`);
  expect(run.stderr).toContain(`svc users get --hash-id ${hashId}`);
  const consent = `svc api POST /v1/users/${hashId}/consent -f 'optIn[]=sms'`;
  expect(run.stderr).toContain(consent);
  const given = await runSvc(['api', 'POST', `/v1/users/${hashId}/consent`, '-f', 'optIn[]=sms'], { env });
  expect(given.code, given.stderr).toBe(0);
  expect((await runSvc([...argv('offer'), '--wait'], { env })).code).toBe(0);
});

test('--wait ends at once for a held notification, with the time', async () => {
  const { env, argv } = await serviceWith({});
  const run = await runSvc([...argv('paused'), '--wait', '--wait-timeout', '10h', '--json'], { env });
  expect(run.code).toBe(6);
  const { status, heldUntil, notificationId } = JSON.parse(run.stdout);
  expect(status).toBe('held');
  const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1)!);
  expect(error).toMatchObject({
    code: 'timeout',
    message: `notification ${notificationId} is held until ${heldUntil} (paused)`,
    hint: expect.stringContaining(`svc notifications watch ${notificationId}`),
  });
});

test('a template with a typo is answered with the nearest one, and nothing about addresses', async () => {
  const { env, argv } = await serviceWith({});
  const near = await runSvc(argv('offers'), { env });
  expect(near.code).toBe(5);
  expect(near.stderr).toContain('must name a template of the catalog; the nearest is offer');
  expect(near.stderr).toContain('svc catalog get');
  expect(near.stderr).not.toMatch(/address|doctor/);
  const far = await runSvc(argv('something-else'), { env });
  expect(far.stderr).toContain('must name a template of the catalog: offer, paused, order_news');
});

test('preview takes the catalog in force', async () => {
  const { env } = await serviceWith({});
  const argv = ['notifications', 'preview', '--template', 'order_news', '--channel', 'sms'];
  const run = await runSvc(argv, { env });
  expect([run.code, run.stdout], run.stderr).toEqual([0, expect.stringContaining('Only here')]);
  // Without a service to ask, as every command that asks one.
  expect((await runSvc(argv, { env: {} })).code).toBe(4);
});
