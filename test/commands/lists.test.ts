import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { COMMANDS } from '../../src/program/commands.gen.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { startTestService, type TestService } from '../support/process/service.ts';
import {
  json,
  knownUser,
  receiver,
  start,
  subscribe,
  tap,
  until,
} from '../support/process/webhooks-service.ts';
import { tempDir } from '../support/temp.ts';

const svc = async (service: TestService, ...argv: string[]) => {
  const run = await runSvc(argv, { env: service.env });
  expect(run, argv.join(' ')).toMatchObject({ code: 0 });
  return run;
};
const read = async (service: TestService, ...argv: string[]) =>
  JSON.parse((await svc(service, ...argv, '--json')).stdout);

describe('lists of the service', () => {
  it('decisions list shows the newest first, by user, content and time, and says when there are more', async () => {
    const service = await startTestService();
    const [one, two] = [await knownUser(service), await knownUser(service, { userId: 'u2' })];
    const made: string[] = [];
    for (const hashId of [one, two, one, two, one])
      made.push((await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200)).decisionId);
    const ids = async (...flags: string[]) =>
      (await read(service, 'decisions', 'list', ...flags)).decisions.map(
        ({ decisionId }: { decisionId: string }) => decisionId,
      );
    expect(await ids()).toEqual(made.toReversed());
    expect(await ids('--oldest')).toEqual(made);
    expect(await ids('--hash-id', two)).toEqual([made[3], made[1]]);
    expect(await ids('--content', 'no-such-content')).toEqual([]);
    expect(await ids('--until', '2020-01-01')).toEqual([]);
    expect(await ids('--since', '2020-01-01')).toHaveLength(5);
    const cut = await svc(service, 'decisions', 'list', '--limit', '2');
    expect(cut.stdout.trim().split('\n')).toHaveLength(3);
    expect(cut.stderr).toContain('there are more than these 2 decisions: add --limit N');
    expect((await svc(service, 'decisions', 'list', '--limit', '5')).stderr).toBe('');
    for (const time of ['yesterday', '2026-02-30', '2026-04-31T00:00:00Z', '2026-3-1'])
      expect(await runSvc(['decisions', 'list', '--since', time], { env: service.env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${time} is not a time`),
      });
  });

  it('decisions get shows one with its candidates, and refuses an unknown one', async () => {
    const service = await startTestService();
    const decisionId = await tap(service, await knownUser(service));
    expect((await read(service, 'decisions', 'get', decisionId)).decisionId).toBe(decisionId);
    const { stdout } = await svc(service, 'decisions', 'get', decisionId);
    expect(stdout).toMatch(/^reward +0\.6$/m);
    expect(stdout).toMatch(/^CANDIDATE\tPROPENSITY\tRANKING$/m);
    const exclude = ['onboarding', 'savings', 'offers'].flatMap((name) => ['--exclude-category', name]);
    const decided = await read(service, 'decide', '--hash-id', 'h', ...exclude);
    const explained = await svc(service, 'decisions', 'get', decided.decisionId);
    expect(explained.stdout).toContain(decided.action.reason);
    expect(explained.stdout).toMatch(
      /^removed +2 contents: excludeCategories \(savings\) \([a-z_]+, [a-z_]+\)$/m,
    );
    expect(await runSvc(['decisions', 'get', 'dec_x'], { env: service.env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('svc decisions list'),
    });
  });

  it('notifications list takes a user, a state and a span of time', async () => {
    const service = await startTestService();
    const [one, two] = [await knownUser(service), await knownUser(service, { userId: 'u2' })];
    for (const hashId of [one, two]) {
      const body = { hashId, templateId: 'welcome', channel: 'push', priority: 'transactional' };
      await json(service.fetch('/v1/inform/trigger', { body }), 202);
    }
    await until(() => service.idle());
    const users = async (...flags: string[]) =>
      (await read(service, 'notifications', 'list', ...flags)).notifications.map(
        ({ hashId }: { hashId: string }) => hashId,
      );
    expect((await users()).sort()).toEqual([one, two].sort());
    expect(await users('--hash-id', two)).toEqual([two]);
    expect(await users('--status', 'queued')).toEqual([]);
    expect(await users('--until', '2020-01-01')).toEqual([]);
    expect(await runSvc(['notifications', 'list', '--status', 'lost'], { env: service.env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('status'),
    });
  });

  it('webhooks deliveries lists those of one subscription, or of all', async () => {
    const service = await start();
    const target = await receiver();
    const [one, two] = [await subscribe(service, target.url), await subscribe(service, target.url)];
    await tap(service, await knownUser(service));
    await until(() => service.idle());
    const subscriptions = async (...flags: string[]) =>
      (await read(service, 'webhooks', 'deliveries', ...flags)).deliveries.map(
        ({ webhookId }: { webhookId: string }) => webhookId,
      );
    expect((await subscriptions()).sort()).toEqual([one.id, two.id].sort());
    expect(await subscriptions(two.id)).toEqual([two.id]);
    expect(await subscriptions('--status', 'pending')).toEqual([]);
    expect((await svc(service, 'webhooks', 'deliveries')).stdout).toContain('SUBSCRIPTION');
    expect((await svc(service, 'webhooks', 'deliveries', one.id)).stdout).toMatch(/delivered\t1, last 204/);
    const [first] = (await read(service, 'webhooks', 'deliveries', one.id)).deliveries;
    const record = await read(service, 'webhooks', 'delivery', first.deliveryId);
    expect(record).toMatchObject({ ...first, attempts: [{ status: 204, signedBy: [1] }] });
    expect(JSON.parse(record.body)).toMatchObject({ deliveryId: first.deliveryId, type: first.type });
    const { stdout } = await svc(service, 'webhooks', 'delivery', first.deliveryId);
    expect(stdout).toContain(record.body);
    expect(stdout).toMatch(/\t204\t\d+\tsecret 1\n/);
    expect(JSON.stringify(record)).not.toMatch(/"(secret|signature|signingSecret)"/);
    const unknown = await runSvc(['webhooks', 'delivery', 'dlv_none'], { env: service.env });
    expect([unknown.code, unknown.stderr]).toEqual([
      5,
      expect.stringContaining('No delivery has this identifier'),
    ]);
  });
});

/** Every command that prints a list, and what it needs to run. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  api: ['--list'],
  'catalog:versions': [],
  commands: [],
  'contents:list': [],
  'decisions:list': [],
  'events:sources': [],
  'imports:list': [],
  'keys:list': [],
  limits: [],
  'messages:list': ['--hash-id', 'a'.repeat(64)],
  'notifications:list': [],
  'plugins:list': [],
  'profiles:list': [],
  'regions:list': [],
  'users:timeline': ['--hash-id', 'a'.repeat(64)],
  'webhooks:deliveries': [],
  'webhooks:list': [],
  'workspaces:list': [],
};

describe('--fields', () => {
  const withFields = readManifest(ROOT).commands.filter(({ flags }) => flags.fields);

  it('is taken by every command whose name says that it lists', () => {
    const ids = withFields.map(({ id }) => id);
    expect(Object.keys(COMMANDS).filter((id) => /:list$/.test(id) && !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => id !== 'events:tail').sort()).toEqual(Object.keys(LISTS).sort());
  });

  it('selects members of JSON documents, and refuses an unknown name', { timeout: 300_000 }, async () => {
    const home = tempDir();
    const add = ['profiles', 'add', 'one', '--no-check', '--workspace', 'w', '--region', 'eu'];
    await runSvc([...add, '--base-url', 'https://x.example', '--api-key-stdin'], { home, stdin: 'k' });
    for (const { id, flags } of withFields.filter(({ id }) => id in LISTS)) {
      const names = (flags.fields!.options as string[]).slice(0, 3).reverse();
      const argv = [...id.split(':'), ...LISTS[id]!, '--profile', 'local'];
      const run = await runSvc([...argv, '--json', '--fields', names.join(',')], { home });
      expect(run.code, `${id} ${run.stderr}`).toBe(0);
      const rows = Object.values(JSON.parse(run.stdout)).findLast(Array.isArray) as object[];
      for (const row of rows) {
        const given = Object.keys(row);
        expect(given, id).toEqual(names.filter((name) => given.includes(name)));
        expect(given.length, id).toBeGreaterThan(0);
      }
      expect((await runSvc([...argv, '--fields', 'nope'], { home })).code, id).toBe(2);
    }
  });

  it('selects columns of tables in the given order, also those that are not shown otherwise', async () => {
    const service = await start();
    const { id, createdAt } = await subscribe(service, 'http://127.0.0.1:1/');
    const { stdout } = await svc(service, 'webhooks', 'list', '--fields', 'createdAt,id');
    expect(stdout).toBe(`CREATED\tID\n${createdAt}\t${id}\n`);
    expect(await read(service, 'webhooks', 'list', '--fields', 'id')).toEqual({ webhooks: [{ id }] });
    const twice = await svc(service, 'webhooks', 'list', '--fields', 'id', '--fields', 'status');
    expect(twice.stdout).toBe(`ID\tSTATUS\n${id}\tactive\n`);
  });
});

describe('--event', () => {
  const of = async (service: TestService, ...flags: string[]) =>
    (await read(service, 'webhooks', 'create', '--url', 'http://127.0.0.1:1/', ...flags)).events;

  it('takes several kinds after commas, and * for all', async () => {
    const service = await start();
    const two = ['campaign.clicked', 'campaign.opened'];
    expect(await of(service, '--event', two.join(','))).toEqual(two);
    expect(await of(service, '-e', `${two[0]},${two[0]}`, '-e', two[1]!)).toEqual(two);
    const all = [...two, 'decision.actioned'];
    expect(await of(service, '--event', '*')).toEqual(all);
    const { id } = (await read(service, 'webhooks', 'list')).webhooks[0];
    const update = (...flags: string[]) => read(service, 'webhooks', 'update', id, ...flags);
    expect((await update('--event', 'decision.actioned')).events).toEqual(['decision.actioned']);
    expect((await update('--event', '*')).events).toEqual(all);
    const create = ['webhooks', 'create', '--url', 'http://127.0.0.1:1/', '--event', 'campaign.opened,'];
    expect(await runSvc(create, { env: service.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--event '*'"),
    });
  });
});

it('an outcome line says what was done, to what, and its name', { timeout: 300_000 }, async () => {
  const service = await start();
  const hashId = await knownUser(service);
  const { id } = await subscribe(service, 'http://127.0.0.1:1/');
  const decisionId = await tap(service, hashId);
  const body = { hashId, templateId: 'welcome', channel: 'push', priority: 'transactional' };
  const { notificationId } = await json(service.fetch('/v1/inform/trigger', { body }), 202);
  const { deliveries } = await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200);
  const home = tempDir();
  const said = async (line: string, stdin = '') => {
    const run = await runSvc(line.split(' '), {
      env: line.startsWith('profiles') ? {} : service.env,
      home,
      stdin,
    });
    expect(run.code, `${line} ${run.stderr}`).toBe(0);
    return run.stdout;
  };
  const add = 'profiles add NAME --no-check --workspace w --base-url https://x.example --api-key-stdin';
  for (const [line, outcome] of [
    [`messages outcome ${decisionId} actioned`, `recorded actioned of ${decisionId}`],
    [`notifications outcome ${notificationId} clicked`, `recorded clicked of ${notificationId}`],
    [`webhooks redeliver ${id} ${deliveries[0].deliveryId}`, `queued delivery ${deliveries[0].deliveryId}`],
    [`webhooks delete ${id}`, `deleted subscription ${id}`],
    ['events send --user-id u --event e', 'sent e for u'],
    [add.replace('NAME', 'a'), 'added profile a, which is in use'],
    [add.replace('NAME', 'b'), 'added profile b; to use it: svc profiles use b'],
    [add.replace('NAME', 'b'), 'changed profile b; to use it: svc profiles use b'],
    ['profiles use b', 'using profile b'],
    ['profiles rename b c', 'renamed profile b to c'],
    ['profiles remove c', 'removed profile c'],
  ] as const)
    expect(await said(line, 'k'), line).toBe(`${outcome}\n`);
});
