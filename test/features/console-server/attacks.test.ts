import { describe, expect, it } from 'vitest';
import { startTestConsole } from '../../support/console/test-console.ts';
import { startTestService } from '../../support/process/service.ts';

const console_ = async (options?: Parameters<typeof startTestConsole>[1]) => {
  const service = await startTestService();
  return { service, page: await startTestConsole(service, options) };
};

/** The error of an answer, by its body. */
const errorOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).error];

describe('the listener of the console', () => {
  it('refuses every host but its own, so that a rebound name gets nothing', async () => {
    const { page } = await console_();
    const hosts = [
      'evil.example',
      `evil.example:${page.port}`,
      '127.0.0.1',
      `127.0.0.1:${page.port + 1}`,
      `127.0.0.1.evil.example:${page.port}`,
      `127.0.0.2:${page.port}`,
      `0.0.0.0:${page.port}`,
      `localhost.:${page.port}`,
      `user@127.0.0.1:${page.port}`,
    ];
    for (const host of hosts)
      for (const path of ['/', '/assets/console.js', '/console/about', '/api/v1/decisions'])
        expect(errorOf(await page.ask('GET', path, { headers: { host } })), `${host} ${path}`).toEqual([
          421,
          'misdirected',
        ]);
    for (const host of [`localhost:${page.port}`, `LOCALHOST:${page.port}`, `[::1]:${page.port}`])
      expect((await page.ask('GET', '/console/about', { headers: { host } })).status).toBe(200);
  });

  it('refuses requests of other origins and other ports, and simple requests of forms', async () => {
    const { page } = await console_();
    const origins = [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${page.port + 1}`,
      `https://127.0.0.1:${page.port}`,
      `http://localhost:${page.port}`,
      `http://127.0.0.1:${page.port}.evil.example`,
    ];
    for (const origin of origins)
      for (const [method, path] of [
        ['GET', '/api/v1/decisions'],
        ['GET', '/console/about'],
        ['GET', '/'],
        ['POST', '/console/session'],
        ['PUT', '/console/faults'],
      ] as const)
        expect(errorOf(await page.ask(method, path, { headers: { origin } })), `${origin} ${path}`).toEqual([
          403,
          'foreign_origin',
        ]);
    expect(errorOf(await page.ask('POST', '/console/session', { headers: { origin: undefined } }))).toEqual([
      403,
      'foreign_origin',
    ]);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined])
      expect(
        errorOf(
          await page.ask('POST', '/console/session', {
            body: { code: page.sessions.newCode() },
            headers: { 'content-type': type },
          }),
        ),
      ).toEqual([415, 'unsupported_media_type']);
  });

  it('goes by the fetch metadata: no data for other sites, no frame, but a link to the page', async () => {
    const { page } = await console_();
    const from = (site: string, dest?: string) => ({
      headers: { 'sec-fetch-site': site, 'sec-fetch-dest': dest, 'x-console-token': page.token },
    });
    for (const site of ['cross-site', 'same-site', 'none', 'odd'])
      for (const path of ['/console/about', '/api/v1/decisions', '/assets/console.js'])
        for (const dest of ['empty', 'document', 'script', undefined])
          expect((await page.ask('GET', path, from(site, dest))).status, `${site} ${path} ${dest}`).toBe(403);
    for (const dest of ['iframe', 'frame', 'embed', 'object', 'empty', undefined])
      expect((await page.ask('GET', '/', from('cross-site', dest))).status).toBe(403);
    for (const site of ['cross-site', 'none', 'same-origin'])
      expect((await page.ask('GET', '/decisions/dec_1', from(site, 'document'))).status).toBe(200);
  });

  it('gives no data without a token, and takes it from nowhere but its header', async () => {
    const { page } = await console_();
    const wrong = [undefined, '', 'x', `${page.token}x`, page.token.slice(0, -1), page.sessions.newCode()];
    for (const token of wrong)
      for (const path of ['/console/about', '/api/v1/decisions', '/console/nothing', '/api/nothing'])
        expect(errorOf(await page.ask('GET', path, { headers: { 'x-console-token': token } }))).toEqual([
          401,
          'no_session',
        ]);
    const bare = { 'x-console-token': undefined };
    for (const headers of [
      { ...bare, cookie: `x-console-token=${page.token}` },
      { ...bare, authorization: `Bearer ${page.token}` },
    ])
      expect((await page.ask('GET', '/console/about', { headers })).status).toBe(401);
    expect(
      (await page.ask('GET', `/console/about?x-console-token=${page.token}`, { headers: bare })).status,
    ).toBe(401);
  });

  it('takes a code once, however many wrong ones were tried', async () => {
    const { page } = await console_();
    const exchange = (code: unknown) => page.ask('POST', '/console/session', { body: { code } });
    const code = page.sessions.newCode();
    const first = await exchange(code);
    expect(first.status).toBe(200);
    const { token } = JSON.parse(first.text);
    expect((await page.ask('GET', '/console/about', { headers: { 'x-console-token': token } })).status).toBe(
      200,
    );
    expect(errorOf(await exchange(code))).toEqual([401, 'wrong_code']);
    for (const body of [undefined, null, 1, ['a'], { a: 1 }]) expect((await exchange(body)).status).toBe(400);
    for (let i = 0; i < 20; i++) expect((await exchange(`guess${i}`)).status).toBe(401);
    expect((await exchange(page.sessions.newCode())).status).toBe(200);
    expect((await page.ask('GET', '/console/about')).status).toBe(200);
  });

  it('refuses addresses that another server could read differently', async () => {
    const { page } = await console_();
    const tricks = [
      '//evil.example/',
      '/api//v1/decisions',
      '/api/v1/decisions/',
      '/api/v1/../v1/users',
      '/./api/v1/decisions',
      '/api/v1/decisions/%2e%2e',
      '/api/v1/decisions/..%2F1',
      '/api/v1/decisions/a%2Fb',
      '/api/v1/decisions/a%5Cb',
      '/api/v1/decisions/%64ec',
      '/api/v1/decisions/%00',
      '/api/v1/decisions/%0d%0aX:1',
      '/api/v1/decisions/%ff',
      '/api/v1/decisions/%zz',
      '/assets/..%2F1.html',
      '/assets/%2e%2e/index.html',
    ];
    for (const path of tricks)
      expect(errorOf(await page.ask('GET', path)), path).toEqual([400, 'invalid_request']);
    expect((await page.ask('GET', `/api/v1/decisions?after=${'x'.repeat(9000)}`)).status).toBe(414);
    for (const path of [
      '/assets/console.css',
      '/assets/',
      '/assets/a/b',
      '/favicon.ico',
      '/etc/passwd',
      '/assets',
    ])
      expect([400, 404]).toContain((await page.ask('GET', path)).status);
  });

  it('refuses what is not plain HTTP/1.1', async () => {
    const { page } = await console_();
    const host = `Host: 127.0.0.1:${page.port}\r\n`;
    const token = `X-Console-Token: ${page.token}\r\n`;
    const end = 'Connection: close\r\n\r\n';
    const cases: [string, RegExp][] = [
      [`GET /console/about HTTP/1.0\r\n${token}\r\n`, /^HTTP\/1\.1 421 /],
      [`GET /console/about HTTP/1.0\r\n${host}${token}\r\n`, /^HTTP\/1\.1 505 /],
      [`GET /console/about HTTP/1.1\r\n${token}${end}`, /^HTTP\/1\.1 400 /],
      [`GET http://evil.example/console/about HTTP/1.1\r\n${host}${token}${end}`, /^HTTP\/1\.1 400 /],
      [`GET http://127.0.0.1:${page.port}/ HTTP/1.1\r\n${host}${end}`, /^HTTP\/1\.1 400 /],
      [`GET \\console\\about HTTP/1.1\r\n${host}${token}${end}`, /^HTTP\/1\.1 400 /],
      [`GET /console\\about HTTP/1.1\r\n${host}${token}${end}`, /^HTTP\/1\.1 400 /],
      [`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 405 /],
      [`TRACE / HTTP/1.1\r\n${host}${token}${end}`, /^HTTP\/1\.1 405 /],
      [`OPTIONS * HTTP/1.1\r\n${host}${end}`, /^HTTP\/1\.1 405 /],
      [`HEAD / HTTP/1.1\r\n${host}${end}`, /^HTTP\/1\.1 405 /],
      [`GET / HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`, /^HTTP\/1\.1 405 /],
      [`GET / HTTP/1.1\r\n${host}${host}${end}`, /^HTTP\/1\.1 400 /],
      [`GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n${end}`, /^HTTP\/1\.1 431 /],
      [`GET /console/about HTTP/1.1\r\n${host}${token}${token}${end}`, /^HTTP\/1\.1 400 /],
    ];
    for (const [text, expected] of cases) {
      const answer = await page.raw(text);
      expect(answer, text.slice(0, 80)).toMatch(expected);
      expect(answer).not.toContain('"workspace"');
    }
  });

  it('sends every answer with the headers that confine the page', async () => {
    const { page } = await console_();
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/assets/console.js'],
      ['GET', '/console/about'],
      ['GET', '/api/v1/decisions'],
      ['GET', '/nothing'],
      ['POST', '/console/session'],
    ] as const) {
      const { headers } = await page.ask(method, path);
      expect(headers['content-security-policy'], path).toMatch(
        /^default-src 'none';.*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
      );
      expect(headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('calls nothing but the operations of its list, and no writes where it is read-only', async () => {
    const { page, service } = await console_({ write: false });
    for (const [method, path] of [
      ['POST', '/api/v1/users'],
      ['POST', '/api/v1/events'],
      ['GET', '/api/v1/events/stream'],
      ['POST', '/api/v1/webhooks'],
      ['POST', '/api/v1/users/u/tokens'],
      ['GET', '/api/openapi.json'],
      ['GET', '/api/healthz'],
      ['GET', '/api/v1'],
      ['GET', '/api'],
      ['DELETE', '/api/v1/users/u'],
      ['GET', '/api/v1/messages?hashId=h'],
    ] as const)
      expect([404, 405], path).toContain((await page.ask(method, path)).status);
    for (const [method, path] of [
      ['POST', '/api/v1/webhooks/w/deliveries/d/redeliver'],
      ['PUT', '/api/v1/catalog'],
      ['PUT', '/console/faults'],
    ] as const)
      expect(errorOf(await page.ask(method, path)), path).toEqual([403, 'read_only']);
    expect(JSON.parse((await page.ask('GET', '/console/about')).text)).toMatchObject({
      write: false,
      workspace: { id: service.workspace },
    });
  });

  it('bounds the bodies of requests', async () => {
    const { page } = await console_();
    const large = { catalog: { text: 'x'.repeat(9 * 1024 * 1024) } };
    expect(errorOf(await page.ask('POST', '/api/v1/messages/d/outcomes', { body: large }))).toEqual([
      413,
      'payload_too_large',
    ]);
    expect(
      errorOf(await page.ask('POST', '/console/session', { body: { code: 'x'.repeat(100_000) } })),
    ).toEqual([413, 'payload_too_large']);
  });
});
