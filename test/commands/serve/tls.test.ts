import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type PeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  CERTIFICATE,
  CERTIFICATE_KEY,
  certificateFiles,
  EXPIRED_CERTIFICATE,
  EXPIRED_CERTIFICATE_KEY,
  FUTURE_CERTIFICATE,
  FUTURE_CERTIFICATE_KEY,
  OTHER_CERTIFICATE,
  OTHER_CERTIFICATE_KEY,
} from '../../support/peers/certificate.ts';
import { childrenOf } from '../../support/process/children.ts';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';

/** Sends one event over TLS. `ca` is the certificate to trust, for `servername`. */
async function sendEvent(
  ready: { url: string; apiKey: string; workspace: string },
  tls: { ca: string; servername: string },
) {
  const sent = request(`${ready.url}/v1/events`, {
    ...tls,
    method: 'POST',
    headers: {
      authorization: `Bearer ${ready.apiKey}`,
      'x-service-workspace': ready.workspace,
      'content-type': 'application/json',
    },
  });
  sent.end('{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}');
  const [answer] = await once(sent, 'response');
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

async function presented(port: number): Promise<string | undefined> {
  const socket: TLSSocket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject }: PeerCertificate = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN as string;
}

const TRUSTED = { ca: CERTIFICATE, servername: 'hooks.test' };

it('serves https with a certificate, and nothing over plain http', async () => {
  const { home, flags } = certificateFiles();
  const { ready, stop } = await runServe(['--metrics-port', '0', ...flags], { home });
  expect(ready.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(ready.metricsUrl).toMatch(/^http:/);
  expect(await sendEvent(ready, TRUSTED)).toBe(202);
  await expect(fetch(ready.url.replace('https:', 'http:'))).rejects.toThrow();
  const { code, stderr } = await stop();
  expect(code).toBe(0);
  expect(stderr).not.toContain('requires https');
});

// On Windows there is no such signal.
if (process.platform !== 'win32')
  it.each([[[]], [['--processes', '1']]])(
    'SIGHUP reads the certificate again, and a broken one does not replace it: %j',
    async (more) => {
      const { home, cert, key, flags, write } = certificateFiles();
      const starting = startServing(await svcProgram(), {
        database: join(home, 'data.db'),
        home,
        argv: [...flags, ...more],
      });
      let stderr = '';
      starting.process.child.stderr!.on('data', (text) => {
        stderr += text;
      });
      const served = await starting.ready;
      onTestFinished(() => served.kill());
      expect(await presented(served.port)).toBe('hooks.test');

      write(OTHER_CERTIFICATE, CERTIFICATE_KEY);
      served.process.child.kill('SIGHUP');
      const refused = `${cert} and ${key} are not a certificate and its private key`;
      await vi.waitUntil(() => stderr.includes(refused) && /stays in use|given up/.test(stderr), {
        timeout: 100_000,
      });
      expect(await presented(served.port)).toBe('hooks.test');

      write(OTHER_CERTIFICATE, OTHER_CERTIFICATE_KEY);
      served.process.child.kill('SIGHUP');
      await vi.waitUntil(() => /was read again|were restarted/.test(stderr), { timeout: 100_000 });
      expect(await presented(served.port)).toBe('other.test');
      expect(await sendEvent(served, { ca: OTHER_CERTIFICATE, servername: 'other.test' })).toBe(202);
      expect(await served.stop()).toBe(0);
    },
  );

it('says what is wrong with the files', async () => {
  const { home, cert, key, flags, write } = certificateFiles();
  expect(await runSvc(['serve', '--tls-cert', 'c.pem'], { home })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: --tls-cert needs --tls-key\n  next: svc serve --tls-cert c.pem --tls-key key.pem\n',
  });
  const missing = await runSvc(['serve', '--tls-cert', 'c.pem', '--tls-key', key], { home, cwd: home });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file: c.pem') });
  const encrypted = createPrivateKey(CERTIFICATE_KEY).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'a',
  });
  write(CERTIFICATE, String(encrypted));
  expect((await runSvc(['serve', '--port', '0', ...flags], { home })).stderr).toBe(
    `error: ${key} is encrypted with a passphrase, which the service cannot ask for\n  next: give a key without one, that only the service can read: openssl pkey -in ${key} -out key.pem\n`,
  );
  write(OTHER_CERTIFICATE, CERTIFICATE_KEY);
  const { code, stderr } = await runSvc(['serve', '--port', '0', ...flags], { home });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      `error: ${cert} and ${key} are not a certificate and its private key in PEM form`,
    ),
  ]);
  expect(stderr).toContain(`\n  next: give the certificate with its chain`);
});

it('warns of a certificate that has expired, and serves with it', async () => {
  const { home, cert, flags, write } = certificateFiles();
  write(EXPIRED_CERTIFICATE, EXPIRED_CERTIFICATE_KEY);
  const { ready, stop } = await runServe(flags, { home });
  expect(await presented(Number(new URL(ready.url).port))).toBe('expired.test');
  const { stderr } = await stop();
  expect(stderr).toContain(`"message":"the certificate in ${cert} has expired: Jan  1 00:00:00 2001 GMT"`);
});

// On Windows there is no such signal.
if (process.platform !== 'win32')
  it.each([
    ['expired', [], EXPIRED_CERTIFICATE, EXPIRED_CERTIFICATE_KEY, 'has expired'],
    ['expired', ['--processes', '2'], EXPIRED_CERTIFICATE, EXPIRED_CERTIFICATE_KEY, 'has expired'],
    ['future', [], FUTURE_CERTIFICATE, FUTURE_CERTIFICATE_KEY, 'is not valid before Jan  1'],
  ])('SIGHUP does not replace a certificate by an invalid one: %s %j', async (_, more, cert, key, why) => {
    const { home, flags, write } = certificateFiles();
    const starting = startServing(await svcProgram(), {
      database: join(home, 'data.db'),
      home,
      argv: [...flags, ...more],
    });
    let stderr = '';
    starting.process.child.stderr!.on('data', (text) => {
      stderr += text;
    });
    const served = await starting.ready;
    onTestFinished(() => served.kill());
    write(cert, key);
    served.process.child.kill('SIGHUP');
    await vi.waitUntil(() => /stays in use|given up/.test(stderr), { timeout: 100_000 });
    expect(stderr).toContain(why);
    expect(await presented(served.port)).toBe('hooks.test');
    // A process that replaces another one serves what the others serve, also if the files are gone.
    if (more.length > 0) {
      for (const file of flags.filter((each) => each.endsWith('.pem'))) rmSync(file);
      const before = childrenOf(served.pid);
      process.kill(before[0]!, 'SIGKILL');
      await vi.waitUntil(() => childrenOf(served.pid).some((pid) => !before.includes(pid)), {
        timeout: 100_000,
      });
      process.kill(before[1]!, 'SIGKILL');
      await vi.waitUntil(() => presented(served.port).catch(() => undefined), { timeout: 100_000 });
      expect(await presented(served.port)).toBe('hooks.test');
    }
  });
