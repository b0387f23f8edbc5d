import { expect, onTestFinished, test } from 'vitest';
import { RETRY_GAPS_MS } from '../../../src/service/webhooks/rules/schedule.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { LIMITS_OFF, type Served, serve } from '../../support/process/served.ts';
import { type SvcProcess, svcProgram } from '../../support/process/svc-process.ts';
import { json, receiver, secret } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

const HOUR = 3_600_000;
const DELIVERIES = 8;
/** Attempts of a delivery until its handler accepts it. */
const ATTEMPTS = 6;
/** How far the clock has been moved when the service or the command is killed, and which. */
const KILLS = [
  { after: 1000, what: 'service' },
  { after: 3 * 60_000, what: 'command' },
  { after: 20 * 60_000, what: 'service' },
  { after: 2 * HOUR, what: 'command' },
  { after: 4 * HOUR, what: 'service' },
  { after: 12 * HOUR, what: 'service' },
] as const;

test('a clock goes on forward to its target when the service and the command that moves it are killed', async () => {
  const program = await svcProgram();
  const home = tempDir();
  const database = await freshDatabase(home);
  const options = { database, home, argv: [...LIMITS_OFF, '--test-clock', '--allow-loopback-webhooks'] };
  let node: Served = await serve(program, options);
  onTestFinished(async () => void (await node.stop()));
  const { port, apiKey, workspace } = node;
  const environment = { SVC_BASE_URL: node.url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey };
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-service-workspace': workspace,
    'content-type': 'application/json',
  };
  const call = (path: string, body?: unknown) =>
    fetch(
      node.url + path,
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );

  const counts = new Map<string, number>();
  const target = await receiver((response, { body }) => {
    const { deliveryId } = JSON.parse(body.toString());
    counts.set(deliveryId, (counts.get(deliveryId) ?? 0) + 1);
    response.writeHead(counts.get(deliveryId)! < ATTEMPTS ? 500 : 204).end();
  });
  const subscription = { url: target.url, events: ['campaign.clicked'], signingSecret: secret };
  const { id } = await json(call('/v1/webhooks', subscription), 201);
  for (let n = 0; n < DELIVERIES; n++) {
    const { decisionId } = await json(call('/v1/decisioning/decide', { hashId: `h${n}` }), 200);
    await json(call(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' }), 202);
  }
  await target.waitFor(DELIVERIES);

  const begun = (await json(call('/v1/clock'), 200)) as { now: string };
  const commands: SvcProcess[] = [];
  const move = (duration: string) => {
    const command = program.start(['clock', 'advance', duration, '--json'], {
      env: { PATH: process.env.PATH!, HOME: home, ...environment },
      cwd: home,
    });
    commands.push(command);
    return command;
  };
  let command = move('30h');
  const kills = [...KILLS];
  const killed = { service: 0, command: 0 };
  let latest = begun.now;
  let wasMoving = false;
  for (let moving = true; moving; ) {
    // An answer that does not come is that of a killed service.
    const clock = await json(call('/v1/clock'), 200);
    expect(clock.now >= latest, `${clock.now} after ${latest}`).toBe(true);
    latest = clock.now;
    wasMoving ||= clock.movingTo !== null;
    moving = !wasMoving || clock.movingTo !== null;
    if (!moving || Date.parse(latest) - Date.parse(begun.now) < (kills[0]?.after ?? Infinity)) continue;
    const { what } = kills.shift()!;
    killed[what]++;
    if (what === 'service') {
      await node.kill();
      node = await serve(program, { ...options, port });
    } else {
      command.child.kill('SIGKILL');
      await command.ended;
      // The service goes on, to the time that is asked for last.
      if (killed.command === 1) command = move('30h');
    }
  }
  await Promise.all(commands.map(({ ended }) => ended));
  expect(killed).toEqual({ service: 4, command: 2 });
  expect(Date.parse(latest) - Date.parse(begun.now)).toBeGreaterThanOrEqual(30 * HOUR);

  const { deliveries } = await json(call(`/v1/webhooks/${id}/deliveries`), 200);
  expect(deliveries).toHaveLength(DELIVERIES);
  expect(counts.size).toBe(DELIVERIES);
  for (const { deliveryId, status, attempts } of deliveries) {
    expect(status).toBe('delivered');
    // A kill loses the answer to an attempt at most.
    expect(counts.get(deliveryId)).toBeLessThanOrEqual(ATTEMPTS + killed.service);
    const times: number[] = attempts.map(({ at }: { at: string }) => Date.parse(at));
    for (let n = 1; n < times.length; n++)
      expect(times[n]! - times[n - 1]!, `${deliveryId} ${n}`).toBeGreaterThan(RETRY_GAPS_MS[n - 1]! * 0.79);
  }
  const last = await move('1s').ended;
  expect(last.code, last.stderr).toBe(0);
  expect(JSON.parse(last.stdout)).toMatchObject({ movingTo: null, due: { deliveries: 0 } });
});
