import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incoming } from '../../../src/client/exchange.ts';
import { debug } from '../../../src/client/interceptors/debug.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc } from '../../support/process/run-svc.ts';

/** Returns what `--debug` writes for one exchange. */
async function debugged(
  body: unknown,
  answer: unknown,
  { path = '/v1/users', headers = {} as Record<string, string> } = {},
): Promise<string> {
  const lines: string[] = [];
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const next = async (): Promise<Incoming> => ({ status: 400, headers, body: Buffer.from(text(answer)) });
  const request = { method: 'POST', path, headers, body: text(body), repeatable: false };
  await debug((line) => lines.push(line))(next)(request);
  return lines.join('\n');
}

describe('--debug', () => {
  it('masks personal fields, traits and variables of any type and depth', async () => {
    const user = {
      userId: 'u-1',
      name: 'Quillfeather',
      phone: 4_917_612_345_678,
      accountNumber: { iban: ['DE02120300000000202051'] },
      traits: { income: 123_456, email: 'q@x.example', status: 'divorced', id: 'P-998877', vip: true },
    };
    const text = await debugged(
      {
        users: [user],
        hashId: 'h-1',
        variables: { code: 'S3CRET', type: 'T0P' },
        properties: { url: 'U-5' },
      },
      {},
    );
    expect(text).not.toMatch(/Quill|49176|DE0212|123456|q@x|divorced|P-998877|true|S3CRET|T0P|U-5/);
    // Field names and identifiers remain.
    for (const part of ['u-1', 'h-1', 'income', 'email', '"phone":"****"', '"status":"****"'])
      expect(text).toContain(part);
  });

  it('masks such values in a response that quotes them, and in unknown query parameters and headers', async () => {
    const text = await debugged(
      { users: [{ userId: 'u', phone: '+49 176 "1"', traits: { age: 4711 } }] },
      {
        error: 'invalid_request',
        message: 'phone +49 176 "1" is not a number',
        details: [
          { index: 0, field: 'users[0].phone', message: '+49 176 "1" and 4711 are wrong', value: 4711 },
        ],
      },
      { path: '/v1/x?phone=%2B49176&limit=5&flag', headers: { 'x-phone': '0815', 'content-type': 'a/b' } },
    );
    expect(text).not.toMatch(/49|4711|0815/);
    expect(text).toContain('/v1/x?phone=****&limit=5&flag');
    expect(text).toContain('users[0].phone');
    expect(text).toContain('content-type: a/b');
  });

  it('shows nothing of a body that is not JSON', async () => {
    expect(await debugged('name=Quill', '<html>Quill</html>')).not.toContain('Quill');
  });

  it('never fails and never shows a text under an unknown name, for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (body, answer) => {
        const canary = 'canary-7f3a';
        const wrapped = { x: body, y: { z: [canary, { deep: canary }] }, traits: { id: canary } };
        expect(await debugged(wrapped, { ...wrapped, a: answer, message: `no ${canary}` })).not.toContain(
          canary,
        );
      }),
    );
  });

  it('masks what `svc api` and `svc notifications trigger` send', async () => {
    const { env } = await cannedService(({ body }) => ({ status: 400, body }));
    const api = ['api', 'POST', '/v1/users', '-F', 'phone=4917612345678', '-f', 'traits[pet]=Rex', '--debug'];
    const trigger = ['notifications', 'trigger', '--hash-id', 'h', '--template', 't', '--channel', 'sms'];
    for (const argv of [api, [...trigger, '--var', 'pet=Rex', '--debug']]) {
      const { stderr } = await runSvc(argv, { env });
      const debugged = stderr.split('\n').filter((line) => /^[<>!]/.test(line));
      expect(debugged.length).toBeGreaterThan(5);
      expect(debugged.join('\n')).not.toMatch(/Rex|49176/);
    }
  });
});
