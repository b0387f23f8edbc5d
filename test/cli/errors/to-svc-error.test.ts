import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readManifest } from '../../../src/cli/command/manifest.ts';
import { toSvcError } from '../../../src/cli/errors/to-svc-error.ts';
import { COMMANDS } from '../../../src/program/commands.gen.ts';
import { CatalogError } from '../../../src/service/catalog/parse.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { ROOT, runSvc, startSvc } from '../../support/process/run-svc.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { commands } = readManifest(ROOT);

/** The commands of svc in a text, each with its flags. */
function commandsIn(text: string): { id: string; flags: string[] }[] {
  return [...text.matchAll(/\bsvc ([a-z]+(?: [a-z]+)*)([^;\n]*)/g)].map(([, words, rest]) => {
    const named = words!.split(' ');
    const id = [named.slice(0, 2).join(':'), named[0]!].find((one) => one in COMMANDS);
    return { id: id ?? `? ${words}`, flags: [...rest!.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag!) };
  });
}

const send = ['events', 'send', '--user-id', 'u', '--event', "it's"];

describe('the hint for an error response', () => {
  it.each<[number, string, string]>([
    [301, '', 'correct the base URL BASE of SVC_BASE_URL; svc doctor --region eu'],
    [
      400,
      '{"message":"bad","details":[{"field":"userId","message":"is odd"}]}',
      'correct the fields named above; the flags: svc events send --help',
    ],
    [
      400,
      '{"message":"bad"}',
      `look at what was sent and answered: svc events send --user-id u --event 'it'\\''s' --region eu --debug`,
    ],
    [401, '', 'the key is from SVC_API_KEY; give another: read -rs SVC_API_KEY && export SVC_API_KEY'],
    [403, '', 'workspace ws_1 is from SVC_WORKSPACE, the key from SVC_API_KEY; '],
    [404, '', 'check the identifier and the address BASE of SVC_BASE_URL: svc doctor --region eu'],
    [
      405,
      '',
      `use a service that has it, such as the one on this machine: svc events send --user-id u --event 'it'\\''s' --profile local`,
    ],
    [429, '', 'check the limits: svc limits --region eu\n        to retry more often: svc events send '],
    [500, '', 'the address is from SVC_BASE_URL; diagnose it: svc doctor --region eu'],
  ])('%i %s', async (status, body, next) => {
    const service = await cannedService(() => ({ status, body, headers: { 'retry-after': '0' } }));
    const run = await runSvc([...send, '--region', 'eu', '--max-retries', '0'], {
      env: service.env,
    });
    const said = run.stderr.slice(run.stderr.indexOf('next: ') + 6).replaceAll(' --max-retries 0', '');
    expect(said.replace(service.env.SVC_BASE_URL, 'BASE')).toContain(next);
    for (const { id, flags } of commandsIn(said)) {
      const command = commands.find((one) => one.id === id);
      expect(command, id).toBeDefined();
      for (const flag of flags) expect([...Object.keys(command!.flags), 'help']).toContain(flag);
    }
  });
});

describe('a peer that is not the service', () => {
  const PORTAL = '<!DOCTYPE html>\n<html><head><title> Hotel </title></head><body>Log in</body></html>';
  const input = '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n';

  it.each<[string[], number]>([
    [['events', 'send', '--user-id', 'u', '--event', 'e'], 5],
    [['events', 'import', '-'], 5],
    [['users', 'import', '-'], 5],
    [['decide', '--hash-id', 'h'], 0],
    [['notifications', 'trigger', '--hash-id', 'h', '--template', 't', '--channel', 'sms'], 0],
    [['webhooks', 'list'], 0],
    [['webhooks', 'create', '--url', 'https://x.example', '--event', 'campaign.opened'], 0],
    [['webhooks', 'delete', 'w'], 0],
    [['messages', 'outcome', 'd', 'opened'], 0],
    [['limits', '--refresh'], 0],
    [['doctor'], 6],
  ])(
    'any 2xx is a success but for events and users, with one warning for a web page: svc %j',
    async (argv, code) => {
      const service = await cannedService(() => ({ headers: { 'content-type': 'text/html' }, body: PORTAL }));
      const run = await runSvc([...argv, '--max-retries', '0'], {
        env: service.env,
        stdin: argv[0] === 'users' ? '{"userId":"u"}\n' : input,
      });
      expect(run.code, run.stderr).toBe(code);
      // doctor has a row for it instead.
      const [printed, other] = argv[0] === 'doctor' ? [run.stdout, run.stderr] : [run.stderr, run.stdout];
      expect(other).not.toContain('is a web page');
      const said = printed.split('the response is a web page ("Hotel") that is not from the service');
      // A refused acknowledgement is an error, too.
      expect(said).toHaveLength(code === 5 ? 3 : 2);
    },
  );

  it('reports a response of a proxy', async () => {
    const body = '<html><head><title>502 Bad Gateway</title></head></html>';
    const service = await cannedService(() => ({ status: 502, body }));
    const run = await runSvc(['decide', '--hash-id', 'h', '--max-retries', '0'], { env: service.env });
    expect(run).toMatchObject({ code: 6, stdout: '' });
    expect(run.stderr).toContain(
      'error: the response is a web page ("502 Bad Gateway") that is not from the service (HTTP 502)\n',
    );
  });

  it.each(['', 'OK', '<ok/>', '"accepted"', 'null', '[]'])(
    'any other body of a 2xx is taken in silence, where any answer is accepted: %j',
    async (body) => {
      const service = await cannedService(() => ({
        status: 202,
        headers: { 'content-type': 'text/plain' },
        body,
      }));
      const run = await runSvc([...send, '--accept-any-answer'], { env: service.env });
      expect(run).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('reports once that it is retrying', async () => {
    const { env } = await cannedService(() => ({ status: 503, body: '' }));
    const clock = new VirtualClock(Date.now());
    const running = startSvc(['webhooks', 'list'], { env, clock });
    let ended = false;
    const done = running.done.finally(() => {
      ended = true;
    });
    while (!ended) {
      await clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { code, stderr } = await done;
    expect(code).toBe(6);
    expect(stderr.split('\n')[0]).toBe(`${env.SVC_BASE_URL} answers 503: retrying, up to 5 times in total`);
    expect(stderr.match(/retrying/g)).toHaveLength(1);
  });

  it('reports a TLS port, a plain port and a lost response', async () => {
    const plain = await cannedService(() => ({}));
    const tls = { ...plain.env, SVC_BASE_URL: plain.env.SVC_BASE_URL.replace('http:', 'https:') };
    const wrong = await runSvc(['webhooks', 'list', '--max-retries', '0'], { env: tls });
    expect(wrong.code).toBe(6);
    expect(wrong.stderr).toMatch(/cannot be reached: it does not use TLS, but perhaps plain http \(ERR_SSL/);
    const server = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.destroy()),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { ...plain.env, SVC_BASE_URL: `http://127.0.0.1:${port}` };
    const read = await runSvc(['webhooks', 'list', '--max-retries', '0', '--json'], { env });
    expect(JSON.parse(read.stderr).error).toMatchObject({ code: 'unreachable', exitCode: 6 });
    const write = await runSvc(['decide', '--hash-id', 'h', '--max-retries', '0', '--json'], { env });
    expect(JSON.parse(write.stderr).error).toMatchObject({ code: 'in_doubt', exitCode: 6 });
  });
});

it('an interrupted request that may have arrived has an unknown outcome, and no hint to retry it', async () => {
  let arrived = () => {};
  const there = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => arrived()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const trigger = ['notifications', 'trigger', '--hash-id', 'h', '--template', 't', '--channel', 'sms'];
  const run = startSvc(trigger, { env });
  await there;
  run.interrupt();
  const { code, stderr } = await run.done;
  expect(code).toBe(130);
  expect(stderr).toMatch(/interrupted: it is not known whether the notification t to h was accepted/);
  expect(stderr).not.toContain('svc notifications trigger');
});

describe('a batch', () => {
  it('ends with the command that retries the failed lines', async () => {
    const service = await cannedService(({ body }) =>
      body.includes('"bad"') ? { status: 400 } : { body: '{"decisionId":"d"}' },
    );
    const run = await runSvc(['decide', '--input', '-'], { env: service.env, stdin: 'good\nbad\n' });
    expect(run.code).toBe(7);
    expect(run.stderr).toContain("jq -cr 'select(.error).request' OUTPUT | svc decide --input -\n");
  });
});

it('names the first mistakes of a catalog, and how many more there are', () => {
  const messageOf = (n: number) =>
    toSvcError(
      new CatalogError(
        Array.from({ length: n }, (_, i) => ({ path: `contents[${i}].body`, message: 'is missing' })),
      ),
      false,
    ).message;
  expect(messageOf(1)).toBe('the catalog cannot be used: contents[0].body is missing');
  expect(messageOf(5)).toMatch(/; contents\[4\]\.body is missing$/);
  expect(messageOf(100)).toMatch(/; contents\[4\]\.body is missing; and 95 more$/);
});
