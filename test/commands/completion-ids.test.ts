import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../support/peers/receiver.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { json, knownUser, start, subscribe, tap } from '../support/process/webhooks-service.ts';
import { tempDir } from '../support/temp.ts';

const complete = async (
  words: string[],
  more: { env?: Record<string, string | undefined>; home?: string } = {},
) => {
  const { env = {}, home = tempDir() } = more;
  const run = await runSvc(['complete', '--', ...words], {
    home,
    env: { XDG_CACHE_HOME: join(home, 'cache'), ...env },
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout.split('\n').filter(Boolean);
};
const wordsOf = (lines: string[]) => lines.map((line) => line.split('\t')[0]);

/** A service that answers every request with the body, and counts them. */
async function answering(body: () => string, status = 200) {
  const service = await startReceiver((response) => response.writeHead(status).end(body()));
  onTestFinished(() => service.close());
  const env = { SVC_BASE_URL: service.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  return { env, requests: () => service.received.length };
}

describe('completion of identifiers', () => {
  it('asks the service for those of each kind', async () => {
    const service = await start();
    const { id } = await subscribe(service, 'http://127.0.0.1:1/');
    const hashId = await knownUser(service);
    const decisionId = await tap(service, hashId);
    const body = { hashId, templateId: 'welcome', channel: 'push', priority: 'transactional' };
    const { notificationId } = await json(service.fetch('/v1/inform/trigger', { body }), 202);
    const { env } = service;
    for (const verb of ['get', 'update', 'delete', 'rotate', 'deliveries', 'redeliver'])
      expect(await complete(['webhooks', verb, ''], { env })).toEqual([`${id}\tactive http://127.0.0.1:1/`]);
    expect(wordsOf(await complete(['webhooks', 'sign', '--subscription', 'wh'], { env }))).toEqual([id]);
    expect(wordsOf(await complete(['webhooks', 'sign', '--subscription=wh'], { env }))).toEqual([
      `--subscription=${id}`,
    ]);
    expect(wordsOf(await complete(['notifications', 'get', 'ntf'], { env }))).toEqual([notificationId]);
    expect(wordsOf(await complete(['decisions', 'get', ''], { env }))).toEqual([decisionId]);
    expect(wordsOf(await complete(['contents', 'get', 'card'], { env }))).toEqual(['card_offer']);
    expect(wordsOf(await complete(['decisions', 'list', '--content', 'card'], { env }))).toEqual([
      'card_offer',
    ]);
    const [delivery] = wordsOf(await complete(['webhooks', 'redeliver', id, ''], { env }));
    expect(delivery).toMatch(/^dlv_/);
    expect(await complete(['webhooks', 'get', 'other'], { env })).toEqual([]);
  });

  it('asks the service that the flags typed before select', async () => {
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const { id } = await subscribe(service, 'http://127.0.0.1:1/');
    const home = tempDir();
    const { SVC_BASE_URL, SVC_WORKSPACE, SVC_API_KEY } = service.env;
    const add = [
      'profiles',
      'add',
      'one',
      '--no-check',
      '--base-url',
      SVC_BASE_URL,
      '--workspace',
      SVC_WORKSPACE,
    ];
    await runSvc([...add, '--api-key-stdin'], { home, stdin: SVC_API_KEY });
    await runSvc(['profiles', 'use', 'local'], { home });
    expect(await complete(['webhooks', 'get', ''], { home })).toEqual([]);
    expect(wordsOf(await complete(['webhooks', 'get', '-p', 'one', ''], { home }))).toEqual([id]);
    expect(wordsOf(await complete(['webhooks', 'get', '--profile=one', 'w'], { home }))).toEqual([id]);
    // Completing must not create the data of `local`.
    expect(existsSync(join(home, 'data', 'service.db'))).toBe(false);
  });

  it('keeps the answer for a short time in a private file, and uses it while the service fails', async () => {
    let list = '{"webhooks":[{"id":"wh_1"}]}';
    const { env, requests } = await answering(() => list);
    const home = tempDir();
    const get = () => complete(['webhooks', 'get', ''], { env, home });
    expect(await get()).toEqual(['wh_1']);
    expect(await get()).toEqual(['wh_1']);
    expect(requests()).toBe(1);
    const folder = join(home, 'cache', 'svc');
    const [name] = readdirSync(folder).filter((file) => file.startsWith('ids-'));
    const file = join(folder, name!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const cached = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...cached, at: cached.at - 60_000 }));
    list = '{"webhooks":[{"id":"wh_2"}]}';
    expect(await get()).toEqual(['wh_2']);
    writeFileSync(file, JSON.stringify({ ...cached, at: cached.at - 60_000 }));
    list = 'not JSON';
    expect(await get()).toEqual(['wh_1']);
  });

  it('keeps the newest lists only, and deletes no file of others', async () => {
    const { env } = await answering(() =>
      JSON.stringify({ webhooks: Array.from({ length: 3000 }, (_, n) => ({ id: `wh_${n}` })) }),
    );
    const home = tempDir();
    const folder = join(home, 'cache', 'svc');
    mkdirSync(folder, { recursive: true });
    const foreign = ['ids-of-mine.json', 'service.db'];
    for (const name of foreign) writeFileSync(join(folder, name), '');
    for (let n = 0; n < 40; n++) {
      const name = join(folder, `ids-${String(n).padStart(32, '0')}.json${n % 2 ? '' : '.7.ab12cd34.tmp'}`);
      writeFileSync(name, '{}');
      utimesSync(name, 1_600_000_000 + n, 1_600_000_000 + n);
    }
    expect(await complete(['webhooks', 'get', ''], { env, home })).toHaveLength(1000);
    const names = readdirSync(folder).filter((name) => !foreign.includes(name));
    expect(names).toHaveLength(32);
    expect(names.filter((name) => /^ids-0{30}0[0-8]/.test(name))).toEqual([]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(foreign));
  });

  it.each([500, 401, 404])(
    'completes nothing, without a word, when the service answers %i',
    async (status) => {
      const { env, requests } = await answering(() => '{}', status);
      expect(await complete(['webhooks', 'get', ''], { env })).toEqual([]);
      expect(requests()).toBe(1);
    },
  );

  it('gives up on a service that does not answer, and on files that cannot be written', async () => {
    const hanging = await startReceiver(() => undefined);
    onTestFinished(() => hanging.close());
    const env = { SVC_BASE_URL: hanging.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
    expect(await complete(['webhooks', 'get', ''], { env })).toEqual([]);
    expect(
      await complete(['webhooks', 'get', ''], { env: { ...env, SVC_BASE_URL: 'http://127.0.0.1:1' } }),
    ).toEqual([]);
    const { env: good } = await answering(() => '{"webhooks":[{"id":"wh_1"}]}');
    const home = tempDir();
    mkdirSync(join(home, 'cache'));
    writeFileSync(join(home, 'cache', 'svc'), 'a file');
    expect(await complete(['webhooks', 'get', ''], { env: good, home })).toEqual(['wh_1']);
    expect(await complete(['webhooks', 'get', ''])).toEqual([]);
  });

  it('never completes what a shell would run', async () => {
    const ids = ['$(>CANARY)', '`x`', '--yes', '*', 'a b', "'", 'wh_1;x', 'wh_1\nwh_2', '', 'wh_ok'];
    const { env } = await answering(() =>
      JSON.stringify({ webhooks: ids.map((id) => ({ id, url: 'x\u001b[2J\n\ty' })) }),
    );
    expect(await complete(['webhooks', 'get', ''], { env })).toEqual([
      expect.stringMatching(/^wh_ok\t[^\t\u001b]*$/),
    ]);
  });
});

it('completes the names after a comma', async () => {
  expect(await complete(['webhooks', 'list', '--fields', 'id,st'])).toEqual(['id,status']);
  expect(await complete(['webhooks', 'list', '--fields=id,'])).toContain('--fields=id,url');
  expect(await complete(['webhooks', 'list', '--fields=id,'])).not.toContain('--fields=id,id');
  expect(await complete(['webhooks', 'create', '--event', 'campaign.clicked,decision.'])).toEqual([
    'campaign.clicked,decision.actioned',
    'campaign.clicked,decision.converted',
  ]);
});
