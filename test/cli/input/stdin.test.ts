import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startSvc } from '../../support/process/run-svc.ts';

const SECRET = { SVC_WEBHOOK_SECRET: 'a-secret-of-some-length' };
const SERVICE = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_WORKSPACE: 'ws', SVC_API_KEY: 'sk_test_1' };

/** A pipe without a writer, and a promise that resolves when it is read. */
function silentPipe(): { stdin: Readable; awaited: Promise<void> } {
  let begun: () => void;
  const awaited = new Promise<void>((resolve) => {
    begun = resolve;
  });
  return { stdin: new Readable({ read: () => begun() }), awaited };
}

it.each<[string[], Record<string, string>]>([
  [['webhooks', 'sign'], SECRET],
  [['webhooks', 'verify', '--signature', 'ab'], SECRET],
  [['webhooks', 'sign', 'body.json', '--secret-file', '-'], {}],
  [['api', 'POST', '/v1/events', '--input', '-'], SERVICE],
  [['profiles', 'add', 'p', '--workspace', 'w', '--base-url', 'https://x.example', '--api-key-stdin'], {}],
  [['events', 'import', '-'], SERVICE],
  [['events', 'import', '-', '--dry-run'], SERVICE],
  [['users', 'import', '-'], SERVICE],
])('%j stops at Ctrl-C although its standard input stays open', async (argv, env) => {
  const { stdin, awaited } = silentPipe();
  const running = startSvc([...argv, '--json'], { stdin, env });
  await awaited;
  running.interrupt();
  const run = await running.done;
  expect(run.code).toBe(130);
  expect(JSON.parse(run.stderr.trim().split('\n').at(-1)!)).toMatchObject({
    error: { code: 'interrupted', exitCode: 130 },
  });
});

it('reads standard input that arrives in chunks', async () => {
  const pieces = Readable.from([Buffer.from('ab'), Buffer.from('c')]);
  const whole = await startSvc(['webhooks', 'sign'], { stdin: 'abc', env: SECRET }).done;
  expect(await startSvc(['webhooks', 'sign'], { stdin: pieces, env: SECRET }).done).toEqual(whole);
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) });
});
