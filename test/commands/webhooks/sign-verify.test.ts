import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Profiles } from '../../../src/profiles/profiles.ts';
import { storeWebhook, webhookKey } from '../../../src/profiles/webhook-store.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const SECRET = "It's a Secret to Everybody";
const SIGNATURE = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
const env = { SVC_WEBHOOK_SECRET: SECRET };
const verify = (stdin: string | Uint8Array, signature = SIGNATURE, ...more: string[]) =>
  runSvc(['webhooks', 'verify', '--signature', signature, ...more], { env, stdin });

it('sign prints the signature of the unchanged bytes of standard input or a file', async () => {
  expect(await runSvc(['webhooks', 'sign'], { env, stdin: 'Hello, World!' })).toEqual({
    code: 0,
    stdout: `${SIGNATURE}\n`,
    stderr: '',
  });
  const cwd = tempDir();
  writeFileSync(join(cwd, 'body'), Buffer.from([0xff, 0x00, 0x0a]));
  const file = await runSvc(['webhooks', 'sign', 'body', '--json'], { env, cwd });
  const piped = await runSvc(['webhooks', 'sign', '-', '--json'], {
    env,
    stdin: Buffer.from([0xff, 0x00, 0x0a]),
  });
  expect(file.stdout).toBe(piped.stdout);
  expect(JSON.parse(file.stdout)).toEqual({ signature: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

it('verify exits 0 on a match and 8 on a mismatch, with and without --json', async () => {
  expect((await verify('Hello, World!')).code).toBe(0);
  expect(JSON.parse((await verify('Hello, World!', SIGNATURE, '--json')).stdout)).toMatchObject({
    verified: true,
  });
  const text = await verify('Hello, World!\n');
  expect(text.code).toBe(8);
  expect(text.stdout).toMatch(/^trailing-newline: .*\n {2}Node .*\n {2}Python .*\n {2}Go /);
  expect(text.stderr).toMatch(/^error: .*trailing-newline\n {2}next: /);
  const json = await verify('Hello, World!\n', SIGNATURE, '--json');
  expect(json.code).toBe(8);
  expect(JSON.parse(json.stdout)).toMatchObject({
    verified: false,
    reason: 'signature_mismatch',
    diagnosis: { name: 'trailing-newline', fix: { go: expect.stringContaining('io.ReadAll') } },
  });
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'signature_mismatch', exitCode: 8 });
});

it('prefers the secret file to the environment, and removes its trailing newline', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'secret.txt'), `${SECRET}\n`);
  const run = await runSvc(['webhooks', 'sign', '--secret-file', 'secret.txt'], {
    cwd,
    env: { SVC_WEBHOOK_SECRET: 'another' },
    stdin: 'Hello, World!',
  });
  expect(run.stdout).toBe(`${SIGNATURE}\n`);
});

it('exits 4 without a secret and a terminal, and 2 for a missing file or flag', async () => {
  const none = await runSvc(['webhooks', 'sign'], { stdin: 'x' });
  expect(none.code).toBe(4);
  expect(none.stderr).toContain('SVC_WEBHOOK_SECRET');
  expect((await runSvc(['webhooks', 'sign', 'no-such-file'], { env })).code).toBe(2);
  expect((await runSvc(['webhooks', 'sign', '--secret-file', 'none'], { env })).code).toBe(2);
  expect((await runSvc(['webhooks', 'verify'], { env, stdin: 'x' })).code).toBe(2);
});

it('uses the secret stored in the current profile, and names the secret of another profile', async () => {
  const home = tempDir();
  const profiles = new Profiles(join(home, 'config'));
  const profile = (name: string) => ({
    workspace: 'ws',
    baseUrl: `https://${name}.example.com`,
    apiKey: 'k',
  });
  await profiles.change((contents) => {
    contents.current = 'prod';
    contents.profiles = { prod: profile('prod'), staging: profile('staging') };
  });
  const store = (name: string, id: string, secret: string) =>
    storeWebhook(profiles, webhookKey({ isLocal: false, ...profile(name) }), id, {
      url: 'https://example.com',
      events: ['campaign.clicked'],
      signingSecret: secret,
      createdAt: '2026-01-31T12:00:00Z',
    });
  await store('prod', 'wh_prod', 'the secret of production');
  await store('staging', 'wh_staging', SECRET);
  const run = (argv: string[]) => runSvc(['webhooks', ...argv], { home, stdin: 'Hello, World!' });
  const mismatch = await run(['verify', '--signature', SIGNATURE]);
  expect(mismatch.code).toBe(8);
  expect(mismatch.stdout).toContain(
    'other-secret: The body is signed with another secret: that of profile staging, subscription wh_staging.',
  );
  expect((await run(['verify', '--signature', SIGNATURE, '-p', 'staging'])).code).toBe(0);
  expect((await run(['sign', '-p', 'staging', '--subscription', 'wh_staging'])).stdout).toBe(
    `${SIGNATURE}\n`,
  );
  expect((await run(['sign', '-p', 'prod', '--subscription', 'wh_staging'])).code).toBe(2);
  await store('prod', 'wh_second', 'a second secret of production');
  const several = await run(['sign']);
  expect(several.code).toBe(2);
  expect(several.stderr).toContain('--subscription');
});
