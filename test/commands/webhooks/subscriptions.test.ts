import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { type Receiver, startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const CREATE = ['webhooks', 'create', '--url', 'https://example.com/hook', '--event', 'campaign.clicked'];

/** Starts a service that supports only the operation in the specification; other requests get the status `others`. */
async function minimalService(answer: { status: number; body?: string }, others = 404) {
  const seen: { method: string; path: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method!, path: request.url!, body });
      const specified = request.method === 'POST' && request.url === '/v1/webhooks';
      if (answer.status === 0 && specified) return void request.socket.destroy();
      response.writeHead(specified ? answer.status : others).end(specified ? answer.body : 'no such page');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    env: { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_WORKSPACE: 'ws', SVC_API_KEY: 'key' },
  };
}

describe('svc webhooks', () => {
  it.each([
    ['*', ['campaign.clicked', 'campaign.opened', 'decision.actioned']],
    [
      'decision.converted,*',
      ['decision.converted', 'campaign.clicked', 'campaign.opened', 'decision.actioned'],
    ],
    ['*,campaign.opened', ['campaign.clicked', 'campaign.opened', 'decision.actioned']],
  ])('create --event %s subscribes to each kind that is named', async (kinds, events) => {
    const service = await minimalService({ status: 201, body: '{}' });
    const create = ['webhooks', 'create', '--url', 'https://example.com/hook', '--event', kinds];
    await runSvc(create, { env: service.env });
    expect(JSON.parse(service.seen[0]!.body)).toMatchObject({ events });
  });

  it.each([
    ['create', '--url', 'https://a.example'],
    ['listen', '--port', '0'],
    ['update', 'whk_1'],
  ])('%s exits with 2 and names the flag if the service has no such kind of event', async (...words) => {
    const details = [{ field: 'events.0', message: 'must be another' }];
    const body = JSON.stringify({
      error: 'invalid_request',
      code: 'INVALID_REQUEST',
      requestId: 'r',
      message: 'No.',
      details,
    });
    const { env } = await cannedService(() => ({ status: 400, body }));
    const run = await runSvc(['webhooks', ...words, '--event', 'foo'], { env });
    expect(run.code, run.stderr).toBe(2);
    expect(run.stderr).toContain('--event foo: the service has no such kind of event');
    expect(run.stderr).toContain('campaign.clicked');
  });

  it('says what a subscription missed before it sends that, and sends nothing unless it is agreed', async () => {
    const target = await startReceiver();
    onTestFinished(() => target.close());
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const home = tempDir();
    const svc = (...argv: string[]) => runSvc(['webhooks', ...argv], { env: service.env, home });
    const made = await svc('create', '--url', target.url, '--event', 'campaign.clicked', '--json');
    const { id } = JSON.parse(made.stdout);
    await svc('update', id, '--status', 'disabled');
    const decided = await service.fetch('/v1/decisioning/decide', { body: { hashId: 'aa' } });
    const { decisionId } = (await decided.json()) as { decisionId: string };
    await service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } });
    expect((await svc('get', id)).stdout).toMatch(/missed {6}1 outcome since 20/);

    const enable = ['update', id, '--status', 'active', '--from'];
    const asked = await svc(...enable, 'disabled');
    expect(asked.code).toBe(2);
    expect(asked.stderr).toMatch(/1 outcome since 20/);
    expect(asked.stderr).toContain(`svc webhooks update ${id} --status active --from disabled --yes`);
    for (const from of ['yesterday', '5', '2026-02-30T08:00Z'])
      expect((await svc(...enable, from, '--yes')).stderr).toContain('neither disabled, now nor a time');
    expect((await svc('update', id, '--from', 'disabled')).stderr).toContain('--from needs --status active');
    expect((await svc('get', id)).stdout).toContain('disabled');
    expect((await svc(...enable, '2020-01-01', '--yes')).stderr).toContain('were removed by age');
    await target.waitFor(1);
    expect((await svc('get', id)).stdout).toMatch(/catching up 1 queued, up to 20/);
  });

  it('counts deliveries and sends them again, and shows how far that is', async () => {
    let status = 410;
    const target = await startReceiver((response) => void response.writeHead(status).end());
    onTestFinished(() => target.close());
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const home = tempDir();
    const svc = (...argv: string[]) => runSvc(['webhooks', ...argv], { env: service.env, home });
    const made = await svc('create', '--url', target.url, '--event', 'campaign.clicked', '--json');
    const { id } = JSON.parse(made.stdout);
    const decided = await service.fetch('/v1/decisioning/decide', { body: { hashId: 'aa' } });
    const { decisionId } = (await decided.json()) as { decisionId: string };
    await service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } });
    await target.waitFor(1);
    while (!(await svc('get', id)).stdout.includes('disabled'));
    const disabled = await svc('redeliver', id, '--since', '1h');
    expect(disabled.stderr).toContain('disabled');
    status = 204;
    await svc('update', id, '--status', 'active');

    const counted = await svc('redeliver', id, '--since', '1h', '--dry-run');
    expect(counted.stdout).toMatch(/^1 failed delivery since 20/);
    const opened = await svc('redeliver', id, '--since', '1h', '--event', 'campaign.opened');
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 failed deliveries since/) });
    await service.platform.store.write((tx) =>
      tx.sql.run("UPDATE delivery SET status = 'pending', due_at = ? WHERE workspace_id = ?", [
        tx.now + 3_600_000,
        service.workspace,
      ]),
    );
    const retried = await svc('redeliver', id, '--since', '1h', '--dry-run');
    expect(retried.stdout).toMatch(
      /^0 failed deliveries since 20\S+; 1 waits for a retry, which --status undelivered sends at once$/m,
    );
    await service.platform.store.write((tx) =>
      tx.sql.run("UPDATE delivery SET status = 'failed', due_at = NULL WHERE workspace_id = ?", [
        service.workspace,
      ]),
    );
    const again = await svc('redeliver', id, '--since', '1h', '--rate', '50/s');
    expect(again.stderr).toMatch(/^1 failed delivery since 20/);
    expect(again).toMatchObject({ code: 0, stdout: '1 of 1 delivery queued again\n' });
    const [first, second] = await target.waitFor(2);
    expect(second!.body).toEqual(first!.body);
    expect((await svc('get', id)).stdout).toMatch(/sent again {2}1 of 1 since 20.*, ended/);
    expect((await svc('redeliver', id, '--stop')).code).toBe(5);
    for (const bad of [
      [],
      ['dlv_1', '--since', '1h'],
      ['--since', 'soon'],
      ['--since', '2999-01-01'],
      ['--since', '1h', '--rate', '0'],
      ['--rate', '5'],
    ])
      expect((await svc('redeliver', id, ...bad)).code, bad.join(' ')).toBe(2);
  });

  it('creates, lists, shows, updates, rotates and deletes a subscription', async () => {
    const { env } = await startTestService();
    const home = tempDir();
    const svc = async (...argv: string[]) => {
      const { code, stdout, stderr } = await runSvc([...argv, '--json'], { env, home });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const created = await svc(...CREATE, '-e', 'decision.actioned');
    expect(created).toMatchObject({
      url: 'https://example.com/hook',
      events: ['campaign.clicked', 'decision.actioned'],
      status: 'active',
      signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { signingSecret, ...shown } = created;
    expect(await svc('webhooks', 'list')).toEqual({ webhooks: [shown] });
    expect(await svc('webhooks', 'get', created.id)).toEqual({
      ...shown,
      performance: expect.any(Object),
      pending: 0,
    });
    const change = ['--status', 'disabled', '--event', 'campaign.opened'];
    expect(await svc('webhooks', 'update', created.id, ...change)).toMatchObject({
      status: 'disabled',
      events: ['campaign.opened'],
    });
    const limits = ['--filter', 'contentId:summer_*', '--description', 'of the mailer', '--max-rate', '20/s'];
    const limited = { filter: 'contentId:summer_*', description: 'of the mailer', maxRate: 20 };
    expect(await svc('webhooks', 'update', created.id, ...limits)).toMatchObject(limited);
    expect(await svc(...CREATE, ...limits)).toMatchObject(limited);
    const freed = ['--filter', '', '--description', '', '--max-rate', 'none'];
    expect(Object.keys(await svc('webhooks', 'update', created.id, ...freed))).not.toContain('filter');
    const wrong = await runSvc(['webhooks', 'update', created.id, '--filter', 'channel:push price:3'], {
      env,
    });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('unknown field price');
    expect(wrong.stderr).toContain('(at character 14)');
    const fast = await runSvc(['webhooks', 'update', created.id, '--max-rate', '0/s'], { env });
    expect(fast.code).toBe(2);
    const rotated = await svc('webhooks', 'rotate', created.id);
    expect(rotated.signingSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(rotated.signingSecret).not.toBe(signingSecret);
    expect(await svc('webhooks', 'deliveries', created.id)).toEqual({ deliveries: [] });
    expect(await svc('webhooks', 'delete', created.id)).toEqual({ deleted: created.id });
    expect((await svc('webhooks', 'list')).webhooks.length).toBe(1);
  });

  it('stores the secret in the profile with mode 0600, and never prints a given one', async () => {
    const { env } = await startTestService();
    const home = tempDir();
    const file = join(home, 'secret.txt');
    writeFileSync(file, 'a secret with spaces and ü\n');
    const storedText = () => readFileSync(join(home, 'config', 'profiles.json'), 'utf8');
    const first = await runSvc([...CREATE, '--secret-file', file, '--json'], { env, home });
    expect(first.code).toBe(0);
    expect(first.stdout + first.stderr).not.toContain('a secret');
    expect(JSON.parse(first.stdout).signingSecret).toBeUndefined();
    expect(storedText()).toContain('"a secret with spaces and ü"');
    const piped = await runSvc([...CREATE, '--secret-file', '-'], {
      env,
      home,
      stdin: 'sixteen characters\n',
    });
    expect(piped.stdout + piped.stderr).not.toContain('sixteen');
    expect(storedText()).toContain('"sixteen characters"');
    await runSvc(CREATE, { env: { ...env, SVC_WEBHOOK_SECRET: 'from the environment' }, home });
    expect(storedText()).toContain('"from the environment"');
    const created = await runSvc(CREATE, { env, home });
    const secret = /secret +([0-9a-f]{64})/.exec(created.stdout)![1]!;
    expect(storedText()).toContain(secret);
    expect(created.stderr).toContain('shown only once');
    expect(statSync(join(home, 'config', 'profiles.json')).mode & 0o777).toBe(0o600);
    const listed = (await runSvc(['webhooks', 'list', '--json'], { env, home })).stdout;
    expect(listed.replaceAll(/"secret(Version|Since)":/g, '')).not.toMatch(/secret/i);
    for (const one of [secret, 'sixteen characters', 'from the environment'])
      expect(listed).not.toContain(one);
  });

  it('says on local that a service on its data delivers to a loopback address only with a flag', async () => {
    const home = tempDir();
    const created = (...argv: string[]) =>
      runSvc(['webhooks', 'create', '-p', 'local', '--event', 'campaign.clicked', ...argv], { home });
    for (const url of ['http://127.0.0.1:9/hook', 'https://localhost/hook', 'http://example.com/'])
      expect((await created('--url', url)).stderr).toContain('with --allow-loopback-webhooks');
    const { stdout, stderr } = await created('--url', 'https://example.com/', '--json');
    expect(stderr).not.toContain('loopback');
    const update = async (url: string) =>
      (await runSvc(['webhooks', 'update', JSON.parse(stdout).id, '-p', 'local', '--url', url], { home }))
        .stderr;
    expect(await update('http://127.0.0.1:9/hook')).toContain('with --allow-loopback-webhooks');
    expect(await update('https://example.com/new')).not.toContain('loopback');
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const elsewhere = await runSvc(CREATE.with(3, 'http://127.0.0.1:9/hook'), { env: service.env });
    expect(elsewhere.code, elsewhere.stderr).toBe(0);
    expect(elsewhere.stderr).not.toContain('--allow-loopback-webhooks');
  });

  it('explains an invalid URL, a short secret, a missing file, an empty update and an unknown identifier', async () => {
    const { env } = await startTestService();
    const run = (argv: string[], more: object = {}) => runSvc(argv, { env, ...more });
    const url = await run(['webhooks', 'create', '--url', 'http://10.0.0.1/', '--event', 'campaign.opened']);
    expect(url).toMatchObject({ code: 5, stdout: '' });
    expect(url.stderr).toContain('url must be an https URL');
    const short = await run([...CREATE, '--secret-file', '-'], { stdin: 'short' });
    expect(short.code).toBe(5);
    expect(short.stderr).toContain('signingSecret must have at least 16 characters');
    expect((await run([...CREATE, '--secret-file', 'nowhere'])).code).toBe(2);
    expect((await run([...CREATE, '--secret-file', '-'], { stdin: '\n' })).code).toBe(2);
    expect((await run(['webhooks', 'update', 'wh_1'])).code).toBe(2);
    for (const argv of [
      ['get', 'wh_1'],
      ['delete', 'wh_1'],
      ['rotate', 'wh_1'],
      ['update', 'wh_1', '--status', 'active'],
      ['deliveries', 'wh_1'],
      ['redeliver', 'wh_1', 'dlv_1'],
    ]) {
      const { code, stdout, stderr } = await run(['webhooks', ...argv]);
      expect(code, stderr).toBe(5);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/no subscription wh_1|No subscription has this identifier/);
    }
  });

  it('warns about an unknown kind and sends it', async () => {
    const { env, seen } = await minimalService({ status: 200, body: '{"id":"s1","plan":"gold"}' });
    const argv = ['webhooks', 'create', '--url', 'https://a.example/', '--event', 'cart.emptied', '--json'];
    const { code, stdout, stderr } = await runSvc(argv, { env });
    expect(code).toBe(0);
    expect(stderr).toContain('cart.emptied');
    expect(JSON.parse(seen[0]!.body).events).toEqual(['cart.emptied']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 's1', plan: 'gold' });
  });

  it('keeps each value of an answer on one line of text', async () => {
    const body = JSON.stringify({ id: 's1\nid  s2', status: 'active\nreason', url: 'https://a.example/\nx' });
    const { env } = await minimalService({ status: 200, body });
    const { code, stdout } = await runSvc(CREATE, { env });
    expect(code).toBe(0);
    const titles = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(titles).toEqual(['id', 'url', 'events', 'status', 'secret']);
  });

  it.each([
    [404, ''],
    [405, ''],
    [501, '{"error":"x"}'],
  ])(
    'shows the subscriptions created on this machine where the service has no such operation (%d)',
    async (status, _) => {
      const { env } = await minimalService({ status: 204 }, status);
      const home = tempDir();
      const created = await runSvc([...CREATE, '--json'], { env, home });
      expect(created.code, created.stderr).toBe(0);
      const list = await runSvc(['webhooks', 'list', '--json'], { env, home });
      expect(list.code).toBe(0);
      expect(list.stderr).toContain(`(HTTP ${status})`);
      expect(list.stderr).toContain('this machine');
      const { webhooks } = JSON.parse(list.stdout);
      expect(webhooks).toMatchObject([{ url: 'https://example.com/hook', events: ['campaign.clicked'] }]);
      expect(list.stdout).not.toMatch(/secret/i);
      const get = await runSvc(['webhooks', 'get', webhooks[0].id, '--json'], { env, home });
      expect(get.code).toBe(0);
      expect(JSON.parse(get.stdout).url).toBe('https://example.com/hook');
      expect(get.stderr).toContain('created on this machine');
      for (const argv of [
        ['get', 'other'],
        ['delete', 'x'],
        ['rotate', 'x'],
        ['deliveries', 'x'],
      ]) {
        const { code, stderr } = await runSvc(['webhooks', ...argv], { env, home });
        expect(code).toBe(5);
        expect(stderr).toMatch(/does not (offer|show|list|support)/);
      }
    },
  );

  it('does not retry a creation whose answer was lost, and reports the ambiguous outcome', async () => {
    const { env, seen } = await minimalService({ status: 0 });
    const { code, stdout, stderr } = await runSvc([...CREATE, '--json'], { env });
    expect(code).toBe(6);
    expect(stdout).toBe('');
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
    expect(error).toMatchObject({ code: 'in_doubt', exitCode: 6 });
    expect(error.message).toContain('whether the subscription of https://example.com/hook was created');
    expect(seen.length).toBe(1);
  });

  it('shows deliveries and redelivers one on local before the command ends', async () => {
    const target = await startReceiver((response) =>
      response.writeHead(target.received.length === 1 ? 500 : 204).end(),
    );
    const { svc, id, home } = await clickedOnLocal(target);
    const { deliveries } = await svc('webhooks', 'deliveries', id);
    expect(deliveries).toMatchObject([{ status: 'pending', attempts: [{ status: 500 }] }]);
    await svc('webhooks', 'redeliver', id, deliveries[0].deliveryId);
    expect(target.received.length).toBe(2);
    expect(target.received[1]!.body.equals(target.received[0]!.body)).toBe(true);
    const text = await runSvc(['webhooks', 'deliveries', id, '-p', 'local'], { home });
    expect(text.stdout).toMatch(
      new RegExp(`${deliveries[0].deliveryId}\\tcampaign.clicked\\tdelivered\\t2, last 204`),
    );
  });

  it('leaves a delivery that times out on local to the next process', async () => {
    const target = await startReceiver((response) => {
      if (target.received.length > 1) response.writeHead(204).end();
    });
    const { svc, id } = await clickedOnLocal(target);
    await svc('profiles', 'list');
    await svc('webhooks', 'list');
    const [first, second] = await target.waitFor(2);
    expect(second!.body.equals(first!.body)).toBe(true);
    const { deliveries } = await svc('webhooks', 'deliveries', id);
    expect(deliveries).toMatchObject([{ status: 'delivered', attempts: [{ status: 204 }] }]);
  });
});

/** A subscription of the target on `local`, and a tap that has been sent to it once. */
async function clickedOnLocal(target: Receiver) {
  onTestFinished(() => target.close());
  const home = tempDir();
  const svc = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runSvc([...argv, '--profile', 'local', '--json'], { home });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const { id } = await svc('webhooks', 'create', '--url', target.url, '-e', 'campaign.clicked');
  const decision = await svc('decide', '--hash-id', 'a'.repeat(64));
  await svc('messages', 'outcome', decision.decisionId, 'clicked');
  expect(target.received.length).toBe(1);
  return { svc, id: id as string, home };
}
