import { expect, test } from 'vitest';
import { startStandIn } from '../../support/peers/stand-in.ts';
import { runSvc } from '../../support/process/run-svc.ts';

test('sends one event, its properties typed as cells are', async () => {
  const service = await startStandIn();
  const argv = ['events', 'send', '--user-id', 'u1', '--event', 'e', '--timestamp', '2026-01-31T12:00:00Z'];
  const run = await runSvc(
    [...argv, '--property', 'n=5', '--property', 'zip=01234', '--property', 'eq=a=b'],
    {
      env: service.env,
    },
  );
  expect(run).toMatchObject({ code: 0, stdout: 'sent e for u1\n' });
  expect(service.requests.map(({ raw }) => raw.toString())).toEqual([
    '{"events":[{"userId":"u1","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":5,"zip":"01234","eq":"a=b"}}]}',
  ]);
});

test('without --timestamp it is now', async () => {
  const service = await startStandIn();
  const before = Date.now();
  expect(
    (await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e'], { env: service.env })).code,
  ).toBe(0);
  const { events } = service.requests[0]!.body as { events: { timestamp: string }[] };
  expect(Date.parse(events[0]!.timestamp)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(events[0]!.timestamp)).toBeLessThanOrEqual(Date.now());
});

test.each([
  ['--timestamp', 'yesterday', /timestamp must be an ISO 8601/],
  ['--user-id', '', /userId must not be empty/],
  ['--property', 'x', /--property x must be written as name=value/],
])('%s %s is refused before anything is sent: exit 2', async (flag, value, message) => {
  const service = await startStandIn();
  const given = { '--user-id': 'u', '--event': 'e', [flag]: value };
  const run = await runSvc(['events', 'send', ...Object.entries(given).flat()], { env: service.env });
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(message);
  expect(service.requests).toEqual([]);
});
