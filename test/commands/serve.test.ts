import { expect, it } from 'vitest';
import { runSvc, startSvc } from '../support/run-svc.ts';

it('says it is ready, serves, and stops at an interrupt with exit 0', async () => {
  const svc = startSvc(['serve', '--port', '0', '--json']);
  const ready = JSON.parse((await svc.waitFor(/^.+\n/))[0]);
  expect(ready).toMatchObject({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: process.pid,
  });
  const answer = await fetch(`${ready.url}/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ready.apiKey}`,
      'x-service-workspace': ready.workspace,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }] }),
  });
  expect(answer.status).toBe(202);
  svc.interrupt();
  expect((await svc.done).code).toBe(0);
});

it.each(['192.0.2.1', 'no-such-host.invalid'])(
  'refuses %s, which is no address of this machine',
  async (host) => {
    const run = await runSvc(['serve', '--port', '0', '--host', host, '--json']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    const { error } = JSON.parse(run.stderr);
    expect(error).toMatchObject({
      code: 'usage',
      hint: expect.stringMatching(/^give an address of this machine: svc serve .*--host 127\.0\.0\.1$/),
    });
    expect(error.message).toContain(`nothing can listen on ${host}`);
  },
);
