import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const REAL = join(import.meta.dirname, '../../fixtures/real');
const EVENT = { userId: 'u', event: 'Report', timestamp: '2026-01-31T12:00:00.000Z' };

interface SentEvent {
  readonly eventId?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A service as the specification has it, which takes no `eventId`; `state.features` changes that. */
async function otherService() {
  const state = {
    features: undefined as string | undefined,
    readStatus: 404,
    refusesAfter: Number.POSITIVE_INFINITY,
  };
  const batches: SentEvent[][] = [];
  const receiver = await startReceiver((response, request) => {
    const headers = {
      'content-type': 'application/json',
      'X-Service-RateLimit-Limit': '600',
      'X-Service-RateLimit-Remaining': '599',
      'X-Service-RateLimit-Reset': '1769860800',
      ...(state.features ? { 'X-Service-Features': state.features } : {}),
    };
    if (request.path !== '/v1/events') return void response.writeHead(state.readStatus, headers).end('{}');
    if (batches.length >= state.refusesAfter) return void response.writeHead(401, headers).end('{}');
    const { events } = JSON.parse(request.body.toString());
    batches.push(events);
    response.writeHead(202, headers).end(JSON.stringify({ accepted: events.length }));
  });
  onTestFinished(() => receiver.close());
  const home = tempDir();
  const env = {
    SVC_BASE_URL: receiver.url.replace(/\/$/, ''),
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k'.repeat(20),
  };
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env });
  const asked = () => receiver.received.filter(({ path }) => path !== '/v1/events').length;
  return { state, batches, svc, home, env, asked };
}

const segment = (count: number) =>
  Array.from({ length: count }, (_, n) => `${JSON.stringify({ ...EVENT, messageId: `m-${n}` })}\n`).join('');

const IMPORT = ['events', 'import', 'a.ndjson', '--from', 'segment', '--json'] as const;

test('a source maps its ids where the service declares in its answers that it takes them', async () => {
  const { env } = await startTestService();
  const home = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { home, env });
  const file = join(REAL, 'github_events.json');
  const count = JSON.parse(readFileSync(file, 'utf8')).length;
  const counts = async (...more: string[]) => {
    const run = await svc('events', 'import', file, '--from', 'github', '--json', ...more);
    expect(run.stderr).not.toContain('eventId');
    return JSON.parse(run.stdout);
  };
  expect(await counts()).toMatchObject({ accepted: count, duplicates: 0 });
  expect(await counts('--restart')).toMatchObject({ accepted: count, duplicates: count });
});

describe('where the service does not declare it', () => {
  test('ids stay properties, and one notice says so', async () => {
    const { batches, svc, home, asked } = await otherService();
    writeFileSync(join(home, 'a.ndjson'), segment(30));
    const run = await svc(...IMPORT, '--batch-size', '10');
    expect(run.code).toBe(0);
    expect(run.stderr.match(/eventId is left out/g)).toHaveLength(1);
    expect(run.stderr).toContain('svc profiles add NAME --event-ids');
    expect(batches).toHaveLength(3);
    for (const event of batches.flat()) {
      expect(event.eventId).toBeUndefined();
      expect(event.properties?.messageId).toMatch(/^m-\d+$/);
    }
    expect(asked()).toBe(1);
  });

  test('a rule that is typed is left out too, also where unknown fields are refused', async () => {
    const { batches, svc, home } = await otherService();
    writeFileSync(join(home, 'a.ndjson'), `${JSON.stringify({ ...EVENT, order: { id: 7 } })}\n`);
    writeFileSync(join(home, 'b.csv'), 'userId,event,timestamp,order\nu,e,2026-01-31T12:00:00Z,7\n');
    const json = await svc('events', 'import', 'a.ndjson', '--map', 'eventId=order.id');
    expect([json.code, json.stderr.match(/eventId is left out/g)]).toMatchObject([0, { length: 1 }]);
    expect(batches).toEqual([[EVENT]]);
    const strict = ['--extra-fields', 'reject'];
    expect((await svc('events', 'import', 'b.csv', '--map', 'eventId=none,order', ...strict)).code).toBe(0);
    expect((await svc('events', 'import', 'b.csv', '--map', 'eventId=order', '--restart')).code).toBe(0);
    expect(batches.slice(1).map(([event]) => event!.properties)).toEqual([undefined, { order: 7 }]);
  });

  test('a profile may say so, and then nothing is asked', async () => {
    const { batches, home, env, asked } = await otherService();
    writeFileSync(join(home, 'a.ndjson'), segment(1));
    const add = await runSvc(
      [
        ...['profiles', 'add', 'other', '--event-ids', '--no-check', '--workspace', 'w'],
        ...['--base-url', env.SVC_BASE_URL],
      ],
      { home, env: { SVC_API_KEY: env.SVC_API_KEY } },
    );
    expect(add.code).toBe(0);
    const run = await runSvc([...IMPORT], { home, cwd: home, env: { SVC_PROFILE: 'other' } });
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('eventId')]);
    expect(batches[0]![0]).toMatchObject({ eventId: 'm-0' });
    expect(asked()).toBe(0);
  });
});

test.each([
  [undefined, 'eventId'],
  ['eventId', undefined],
])('an import goes on as it began, with features %s and then %s', async (before, after) => {
  const { state, batches, svc, home, asked } = await otherService();
  writeFileSync(join(home, 'a.ndjson'), segment(40));
  const one = ['--batch-size', '10', '--concurrency', '1'];
  state.features = before;
  state.refusesAfter = 2;
  expect((await svc(...IMPORT, ...one)).code).toBe(4);
  state.features = after;
  state.refusesAfter = Number.POSITIVE_INFINITY;
  const resumed = await svc(...IMPORT, ...one, '--resume');
  expect([resumed.code, JSON.parse(resumed.stdout).accepted]).toEqual([0, 20]);
  const ids = batches.flat().map(({ eventId }) => eventId);
  expect(ids).toHaveLength(40);
  expect(ids.filter((id) => id !== undefined)).toHaveLength(before ? 40 : 0);
  expect(asked()).toBe(1);
  // Again without --resume: all was sent. Records that are appended are sent like the others.
  writeFileSync(join(home, 'a.ndjson'), segment(45));
  expect((await svc(...IMPORT, ...one)).code).toBe(0);
  const appended = batches.at(-1)!;
  expect([
    appended.length,
    appended.every(({ eventId }) => (eventId !== undefined) === (before !== undefined)),
  ]).toEqual([5, true]);
  expect(asked()).toBe(1);
  // A new import decides again.
  expect((await svc(...IMPORT, ...one, '--restart')).code).toBe(0);
  expect(batches.at(-1)!.every(({ eventId }) => (eventId !== undefined) === (after !== undefined))).toBe(
    true,
  );
  expect(asked()).toBe(2);
});

test('an unreachable service and a wrong key decide nothing', async () => {
  const { state, batches, svc, home } = await otherService();
  writeFileSync(join(home, 'a.ndjson'), segment(1));
  const closed = await startReceiver();
  await closed.close();
  const at = { SVC_BASE_URL: closed.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k'.repeat(20) };
  const down = await runSvc([...IMPORT, '--max-retries', '0'], { home, cwd: home, env: at });
  expect([down.code, down.stderr]).toEqual([6, expect.stringContaining('--resume')]);
  const waiting = ['--max-retries', '0', '--max-wait', '1s'];
  const waited = await runSvc([...IMPORT, ...waiting], { home, cwd: home, env: at });
  expect([waited.code, waited.stderr]).toEqual([6, expect.stringMatching(/retrying in \d s \(--max-wait\)/)]);
  state.readStatus = 401;
  const refused = await svc(...IMPORT);
  expect(refused.code).toBe(4);
  for (const run of [down, waited, refused]) expect(run.stderr).not.toContain('left out');
  state.readStatus = 404;
  state.features = 'eventId';
  expect((await svc(...IMPORT, '--resume')).code).toBe(0);
  expect(batches[0]![0]).toMatchObject({ eventId: 'm-0' });
});

test('a table of a source may lack the column of its ids, and a column that is typed must be there', async () => {
  const { svc, home, state, batches } = await otherService();
  state.features = 'other, eventId';
  writeFileSync(join(home, 'a.csv'), 'event_type,event_time,user_id\nwatch,2020-08-01 10:16:46.5,u\n');
  const from = ['events', 'import', 'a.csv', '--from', 'amplitude', '--json'];
  expect((await svc(...from)).code).toBe(0);
  const typed = await svc(...from, '--restart', '--map', 'eventId=order');
  expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('no column order')]);
  writeFileSync(
    join(home, 'a.csv'),
    'event_type,event_time,user_id,uuid\nwatch,2020-08-01 10:16:46.5,u,id-1\n',
  );
  expect((await svc(...from, '--restart')).code).toBe(0);
  expect(batches.map(([event]) => event!.eventId)).toEqual([undefined, 'id-1']);
});
