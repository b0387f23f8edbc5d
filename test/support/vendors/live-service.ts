import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { startTestService, type TestService } from '../process/service.ts';
import { startTwilio } from './vendors.ts';

const PUBLIC_URL = 'https://svc.example.org';
const TOKEN = 'twilio auth token';

/** A live service that sends through Twilio. */
export async function withTwilio(
  env: Record<string, string> = { SVC_PUBLIC_URL: PUBLIC_URL },
  more: object = {},
) {
  const vendor = await startTwilio();
  const service = await startTestService({
    allowLoopbackWebhooks: true,
    providers: ['sms=twilio-sms'],
    environment: {
      TWILIO_ACCOUNT_SID: 'AC0123456789abcdef',
      TWILIO_AUTH_TOKEN: TOKEN,
      TWILIO_FROM: '+15017122661',
      TWILIO_BASE_URL: vendor.url,
      ...env,
    },
    ...more,
  });
  return { vendor, service };
}

export async function addUser(
  service: TestService,
  user: object = { phone: '+15558675310' },
): Promise<string> {
  const answer = await service.fetch('/v1/users', { body: { users: [{ userId: 'u1', ...user }] } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
}

export async function trigger(service: TestService, hashId: string, more: object = {}): Promise<string> {
  const body = { hashId, templateId: 'welcome', channel: 'sms', priority: 'transactional', ...more };
  const answer = await service.fetch('/v1/inform/trigger', { body });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { notificationId: string }).notificationId;
}

export interface Delivery {
  status: string;
  failure?: string;
  history: { status: string; reason?: string }[];
}

export async function record(service: TestService, id: string): Promise<Delivery> {
  return (await service.fetch(`/v1/inform/notifications/${id}`)).json() as Promise<Delivery>;
}

/** Waits until the workers have nothing to do. */
export async function settled(service: TestService, id: string): Promise<Delivery> {
  while (!(await service.idle())) await new Promise((resolve) => setTimeout(resolve, 10));
  return record(service, id);
}

/** A receipt as Twilio posts it: signed over the public URL and the form. */
export function post(
  service: TestService,
  fields: Record<string, string>,
  change: { query?: string; token?: string; url?: string } = {},
) {
  const path = `/v1/inform/receipts/${service.workspace}/twilio-sms${change.query ?? ''}`;
  const text = Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('');
  const signature = createHmac('sha1', change.token ?? TOKEN)
    .update(`${change.url ?? PUBLIC_URL}${path}${text}`)
    .digest('base64');
  return fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: new URLSearchParams(fields).toString(),
  });
}
