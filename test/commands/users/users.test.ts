import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const USER = {
  userId: 'u1',
  name: 'Ada Lovelace',
  phone: '+441234567890',
  phones: ['+441234567891'],
  emails: ['ada@example.com'],
  traits: { plan: 'pro' },
  optOut: ['sms/news'],
};

test('users get never shows personal data; export does, on the data itself; delete asks first', async () => {
  const service = await startTestService();
  const put = async (user: object) => {
    const answer = await service.fetch('/v1/users', { body: { users: [user] } });
    return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
  };
  const hashId = await put(USER);
  const run = (line: string) => runSvc(line.split(' '), { env: service.env });

  const got = await run(`users get --hash-id ${hashId}`);
  expect(got.code, got.stderr).toBe(0);
  for (const text of ['known', 'name, phone, phones, emails', 'plan', 'sms/news', 'whatsapp'])
    expect(got.stdout).toContain(text);
  expect(got.stdout).not.toMatch(/Lovelace|1234567|ada@|pro\b/);

  await service.fetch('/v1/events', {
    body: {
      events: [{ userId: 'u1', event: 'seen', timestamp: '2026-01-31T12:00:00Z', properties: { a: 1 } }],
    },
  });
  const exported = await runSvc(['users', 'export', '--user-id', 'u1', '--database', service.database], {
    env: {},
  });
  expect(exported.code, exported.stderr).toBe(0);
  const records = exported.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({
    type: 'user',
    ...{ name: USER.name, phone: USER.phone, phones: USER.phones, emails: USER.emails, traits: USER.traits },
    addresses: { sms: [USER.phone, ...USER.phones], email: USER.emails },
  });
  expect(records[1]).toMatchObject({ type: 'event', event: 'seen', properties: { a: 1 } });
  const nobody = await runSvc(['users', 'export', '--user-id', 'u2', '--database', service.database], {
    env: {},
  });
  expect([nobody.code, nobody.stdout]).toEqual([5, '']);

  // Null clears a field.
  await put({ userId: 'u1', name: null, phones: null, traits: null });
  const cleared = JSON.parse((await run(`users get --hash-id ${hashId} --json`)).stdout);
  expect(cleared).toMatchObject({ fields: ['phone', 'emails'], traits: [] });

  const asked = await run(`users delete --hash-id ${hashId}`);
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain('--yes');
  const erased = await run(`users delete --hash-id ${hashId} --yes --json`);
  expect(JSON.parse(erased.stdout)).toMatchObject({ hashId, status: 'erasing' });
  expect((await run(`users get --hash-id ${hashId}`)).stdout).toContain('erasing');
  expect((await run('users get --hash-id none')).code).toBe(5);
});

test('notifications preview fills a template as the service does', async () => {
  const home = tempDir();
  const preview = (...more: string[]) =>
    runSvc(['notifications', 'preview', '--profile', 'local', '--template', 'order_update', ...more], {
      home,
    });
  const shown = await preview('--channel', 'sms', '--var', 'orderId=A-1', '--name', '');
  expect(shown.stdout).toContain('Hello there, there is news of your order A-1.');
  const missing = await preview('--channel', 'sms');
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--var orderId=VALUE')]);
  const json = await preview('--channel', 'email', '--var', 'orderId=A-1', '--json');
  expect(JSON.parse(json.stdout)).toEqual({
    templateId: 'order_update',
    channel: 'email',
    locale: null,
    subject: 'Your order A-1',
    text: 'Hello Ada, there is news of your order A-1.',
  });
});
