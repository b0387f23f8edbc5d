import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/contract/errors.ts';
import { RefusedRequests } from '../../../src/service/http/refused-requests.ts';
import { startTestService } from '../../support/process/service.ts';

const HOUR_MS = 3_600_000;

it('counts the requests that are refused by endpoint and reason', async () => {
  const service = await startTestService();
  const added = await service.fetch('/v1/users', { body: { users: [{ userId: 'u' }] } });
  const [{ hashId }] = ((await added.json()) as { users: [{ hashId: string }] }).users;
  const trigger = (body: object) => service.fetch('/v1/inform/trigger', { body });
  for (let i = 0; i < 3; i++) await trigger({ hashId, templateId: 'none', channel: 'email' });
  await trigger({ hashId, templateId: 'welcome' });
  // What is accepted is not among them.
  await service.fetch('/v1/webhooks');
  const { since, rows } = service.refused();
  expect(since).toBeLessThanOrEqual(Date.now());
  expect(rows).toMatchObject([
    {
      endpoint: 'trigger',
      status: 404,
      error: 'not_found',
      reason: 'No template has this templateId.',
      count: 3,
    },
    {
      endpoint: 'trigger',
      status: 400,
      error: 'invalid_request',
      reason: 'channel must be one of whatsapp, sms, email, push',
      count: 1,
    },
  ]);
  // Those of another workspace are not told in this one.
  const headers = { authorization: `Bearer ${service.apiKey}`, 'x-service-workspace': 'ws_other' };
  expect((await fetch(`${service.url}/v1/webhooks`, { headers })).status).toBe(403);
  expect(service.refused().rows).toHaveLength(2);
});

it('forgets what is a day old, and keeps a bounded number of reasons', () => {
  let now = 100 * HOUR_MS;
  const refused = new RefusedRequests(() => now);
  const gone = new ServiceError('not_found');
  refused.add('decide', gone);
  now += 23 * HOUR_MS;
  refused.add('decide', gone);
  expect(refused.read()).toMatchObject({
    since: 100 * HOUR_MS,
    rows: [{ count: 2, firstAt: 100 * HOUR_MS, lastAt: now }],
  });
  now += 2 * HOUR_MS;
  expect(refused.read()).toMatchObject({
    since: 101 * HOUR_MS,
    rows: [{ count: 1, firstAt: 123 * HOUR_MS }],
  });
  for (let i = 0; i < 600; i++)
    refused.add('decide', new ServiceError('invalid_request', undefined, [{ field: `f${i}`, message: 'x' }]));
  const { rows } = refused.read();
  expect(rows).toHaveLength(50);
  expect(rows.some(({ error }) => error === 'not_found')).toBe(false);
});
