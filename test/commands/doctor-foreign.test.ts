import { describe, expect, it } from 'vitest';
import { cannedService } from '../support/peers/canned-service.ts';
import { runSvc } from '../support/process/run-svc.ts';

type Answer = { status?: number; headers?: Record<string, string>; body?: string };

const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const NGINX = '<html>\r\n<head><title>404 Not Found</title></head><body>nginx/1.27.0</body></html>';

async function examine(answer: Answer, ...flags: string[]) {
  const server = await cannedService(() => answer);
  const run = await runSvc(['doctor', '--json', ...flags], { env: server.env });
  const { checks } = JSON.parse(run.stdout) as {
    checks: { check: string; status: string; seen: string; next: string | null }[];
  };
  const row = (name: string) => checks.find(({ check }) => check === name);
  return { ...run, row, baseUrl: server.env.SVC_BASE_URL, requests: server.requests };
}

describe('svc doctor in front of a server that is not the service', () => {
  it.each<[string, Answer]>([
    ['a web server without that page', { status: 404, headers: html, body: NGINX }],
    ['a JSON API of another product', { status: 404, headers: json, body: '{"message":"Not Found"}' }],
    ['its error with a status as its code', { status: 404, body: '{"error":"Not Found","code":404}' }],
    ['an empty 404', { status: 404 }],
    ['a static server without the method', { status: 405, headers: html, body: NGINX }],
    ['one without the operation', { status: 501, body: '' }],
    ['a server that answers 200 with text', { status: 200, body: 'OK' }],
    ['a server that answers 200 with JSON', { status: 200, headers: json, body: '{"status":"up"}' }],
    ['a server that answers 200 with a list', { status: 200, headers: json, body: '[{"id":1}]' }],
    ['an empty 204', { status: 204 }],
    ['a captive portal', { status: 200, headers: html, body: '<!doctype html><title>Log in</title>' }],
  ])('fails with a row that names the address: %s', async (_, answer) => {
    const result = await examine(answer);
    expect(result.code).toBe(6);
    expect(result.row('service')).toMatchObject({
      status: 'fail',
      seen: expect.stringMatching(/cannot be recognised as the service|not from the service/),
      next: expect.stringContaining(result.baseUrl),
    });
    expect(result.row('key')).toMatchObject({ status: 'skipped' });
    expect(result.requests).toHaveLength(1);
  });

  it.each([401, 403])(
    'warns of the address before the key is replaced: %i of another product',
    async (status) => {
      const result = await examine({ status, headers: json, body: '{"error":"unauthorized"}' });
      expect(result.code).toBe(4);
      expect(result.row('service')).toMatchObject({
        status: 'warn',
        next: expect.stringContaining(result.baseUrl),
      });
      expect(result.row('key')).toMatchObject({ status: 'fail' });
    },
  );
});

describe('svc doctor in front of a service that differs where the specification is silent', () => {
  const error = (name: string) =>
    JSON.stringify({ error: name, code: name.toUpperCase(), requestId: 'req_1' });

  it.each<[string, Answer]>([
    ['no list of webhooks, in its error shape', { status: 404, headers: json, body: error('not_found') }],
    ['405 in its error shape', { status: 405, body: error('method_not_allowed') }],
    ['501 in its error shape', { status: 501, body: error('not_implemented') }],
    ['404 with a request identifier', { status: 404, headers: { 'x-service-request-id': 'r' } }],
    ['404 with a region', { status: 404, headers: { 'x-service-region': 'eu' } }],
    ['any body with the rate-limit headers', { headers: { 'x-service-ratelimit-limit': '60' }, body: 'x' }],
    ['a list of subscriptions', { headers: json, body: '{"webhooks":[]}' }],
    [
      'a bare list of subscriptions',
      { headers: json, body: '[{"url":"https://x.example","events":["campaign.opened"]}]' },
    ],
  ])('recognises it: %s', async (_, answer) => {
    const result = await examine(answer);
    expect(result.row('service')).toMatchObject({ status: 'ok' });
    expect(result.code).toBe(0);
  });

  it('recognises it by a decision with --probe if its reads do not identify it', async () => {
    const server = await cannedService(({ method }) =>
      method === 'GET'
        ? { status: 404, headers: json, body: '{"message":"Not Found"}' }
        : { status: 200, headers: { 'x-service-ratelimit-limit': '600' }, body: '{}' },
    );
    const run = await runSvc(['doctor', '--json', '--probe'], { env: server.env });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).checks).toContainEqual(
      expect.objectContaining({ check: 'service', status: 'ok' }),
    );
    const portal = await examine({ status: 200, body: 'OK' }, '--probe');
    expect(portal.code).toBe(6);
    expect(portal.row('service')).toMatchObject({ status: 'fail' });
  });
});
