import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const DAY = 86_400_000;

test('svc clock moves the time that every command on the data of local sees', async () => {
  const home = tempDir();
  const svc = async (...argv: string[]) => {
    const run = await runSvc([...argv, '--json'], { home, env: { SVC_PROFILE: 'local' } });
    return { code: run.code, ...JSON.parse((run.stdout || run.stderr).split('\n')[0]!) };
  };
  expect(await svc('clock', 'show')).toMatchObject({
    code: 5,
    error: { code: 'not_offered', hint: expect.stringContaining('svc serve --test-clock') },
  });
  await (await startTestService({ database: join(home, 'data', 'service.db'), testClock: true })).close();
  const { keyId } = await svc('keys', 'create');
  await svc('keys', 'rotate', keyId, '--valid-for', '1h');
  const stateOf = async () =>
    (await svc('keys', 'list')).keys.find((key: { keyId: string }) => key.keyId === keyId).state;
  expect(await stateOf()).toBe('ending');
  expect(await svc('clock', 'advance', '30d')).toMatchObject({ code: 0, movingTo: null });
  expect(await stateOf()).toBe('revoked');
  await svc('events', 'send', '--user-id', 'u1', '--event', 'seen');
  const event = await svc('data', 'export', '--type', 'event');
  const later = Date.now() + 29 * DAY;
  for (const time of [event.timestamp, event.receivedAt, (await svc('clock', 'show')).now])
    expect(Date.parse(time)).toBeGreaterThan(later);
});

test('refuses what is no move forward, and counts without moving', async () => {
  const { env } = await startTestService({ testClock: true, retain: { events: 30 * DAY } });
  const home = tempDir();
  const svc = (...argv: string[]) => runSvc(argv, { home, env });
  for (const duration of ['0', '0d', '10ms', '4000d', 'tomorrow', '-1d'])
    expect([duration, (await svc('clock', 'advance', duration)).code]).toEqual([duration, 2]);
  const before = JSON.parse((await svc('clock', 'show', '--json')).stdout);
  for (const event of ['a', 'b', 'c']) await svc('events', 'send', '--user-id', 'u', '--event', event);
  const counts = async (duration: string) => {
    const dry = await svc('clock', 'advance', duration, '--dry-run', '--json');
    return JSON.parse(dry.stdout);
  };
  expect(await counts('1d')).toMatchObject({ offsetMs: 0, due: { removed: { events: 0 } } });
  expect(await counts('400d')).toMatchObject({
    offsetMs: 0,
    due: { notifications: 0, deliveries: 0, removed: { events: 3 } },
  });
  const words = await svc('clock', 'advance', '400d', '--dry-run');
  expect(words.stdout).toContain('events removed by retention: 3');
  const moved = JSON.parse((await svc('clock', 'advance', '400d', '--json')).stdout);
  expect(moved).toMatchObject({ movingTo: null, due: { notifications: 0, deliveries: 0 } });
  expect(Date.parse(moved.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(400 * DAY);
});

test.each([['show'], ['advance', '1d'], ['advance', '400d', '--dry-run']])(
  'a service without a test clock is named with the way to one: clock %s %s %s, exit 5',
  async (...words) => {
    const { env } = await startTestService();
    const run = await runSvc(['clock', ...words.filter((word) => word !== undefined)], {
      home: tempDir(),
      env,
    });
    expect(run.code).toBe(5);
    expect(run.stderr).toContain('the service has no test clock');
    expect(run.stderr).toContain('svc serve --test-clock');
  },
);
