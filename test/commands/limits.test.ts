import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../support/peers/receiver.ts';
import { runSvc, startSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

const rows = (stdout: string) =>
  JSON.parse(stdout).limits as { group: string; limit: number | null; remaining: number | null }[];

/** A service whose cheap read answers so. */
async function answering(status: number) {
  const headers = {
    'x-service-ratelimit-limit': 20,
    'x-service-ratelimit-remaining': 15,
    'x-service-ratelimit-reset': 30,
  };
  const receiver = await startReceiver(
    (response) => void response.writeHead(status, status === 200 ? headers : {}).end(),
  );
  onTestFinished(() => receiver.close());
  return { SVC_BASE_URL: receiver.url, SVC_WORKSPACE: 'ws_1', SVC_API_KEY: 'sk_test_1' };
}

describe('svc limits', () => {
  it('shows the limits from answers to other commands, and sends no request', async () => {
    const service = await startTestService({ limits: { reads: 20, ingest: 600 } });
    const home = tempDir();
    const at = { home, env: service.env };
    const before = await runSvc(['limits', '--json'], at);
    expect(rows(before.stdout).map(({ group, limit }) => [group, limit])).toEqual([
      ['ingest', null],
      ['inform', null],
      ['decisions', null],
      ['reads', null],
      ['webhooks', null],
    ]);
    await service.fetch('/v1/events', { raw: '{}' });
    await runSvc(['events', 'tail', '--count', '1', '--json'], {
      ...at,
      env: { ...service.env, SVC_API_KEY: 'sk_test_wrong' },
    });
    const tail = startSvc(['events', 'tail'], at);
    await tail.waitFor(/watching/, 'stderr');
    tail.interrupt();
    await tail.done;
    const after = await runSvc(['limits', '--json'], at);
    expect(rows(after.stdout)[3]).toMatchObject({
      group: 'reads',
      limit: 20,
      remaining: 19,
      used: 1,
      stale: false,
      default: 60,
      ceiling: 300,
      seenAt: expect.stringMatching(/Z$/),
      reset: expect.stringMatching(/Z$/),
    });
  });

  it('shows the current limits of local, not the observed ones', async () => {
    const home = tempDir();
    // The limiter itself is asked: nothing has to be sent before.
    const all = rows((await runSvc(['limits', '-p', 'local', '--json'], { home })).stdout);
    expect(all.map(({ remaining }) => remaining)).toEqual([600, 300, 600, 60, 30]);
    const local = async () => rows((await runSvc(['limits', '-p', 'local', '--json'], { home })).stdout)[0];
    await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e', '-p', 'local'], { home });
    expect(await local()).toMatchObject({ group: 'ingest', limit: 600, remaining: 599 });
    const serve = startSvc(['serve', '--port', '0', '--limit', 'ingest=20'], { home });
    await serve.waitFor(/stop with/);
    serve.interrupt();
    await serve.done;
    const after = (await local()) as unknown as { limit: number; used: number; remaining: number };
    expect([after.limit, after.used + after.remaining]).toEqual([20, 20]);
  });

  it('sends one read with --refresh, and warns if the service does not support it', async () => {
    const run = await runSvc(['limits', '--refresh'], { env: await answering(200) });
    expect(run.code).toBe(0);
    expect(run.stdout.split('\n')[0]).toBe('GROUP\tUSED\tLEFT\tLIMIT\tFREES\tSEEN\tDEFAULT\tMAX');
    expect(run.stdout).toMatch(/^reads\t25%\t15\t20\t(29|30) s\tnow\t60\t300$/m);
    const missing = await runSvc(['limits', '--refresh', '--json'], { env: await answering(404) });
    expect(missing.code).toBe(0);
    expect(missing.stderr).toContain('does not support GET /v1/webhooks');
    const wrong = await runSvc(['limits', '--refresh', '--json'], { env: await answering(401) });
    expect(wrong).toMatchObject({ code: 4, stdout: '' });
  });

  it.each([60, 80, 120])('fits a terminal of %i columns', async (columns) => {
    const run = await runSvc(['limits', '--refresh'], { env: await answering(200), columns });
    for (const line of run.stdout.replace(/\u001b\[\d+m/g, '').split('\n'))
      expect(line.length).toBeLessThanOrEqual(columns);
    expect(run.stdout).toContain('ingest');
  });

  it('redraws in place with --watch until Ctrl-C', async () => {
    const service = await startTestService();
    const watch = startSvc(['limits', '--watch'], { env: service.env, columns: 80 });
    await watch.waitFor(/\u001b\[\d+A/);
    watch.interrupt();
    expect((await watch.done).code).toBe(130);
    const lines = startSvc(['limits', '--watch', '--json'], { env: service.env });
    await lines.waitFor(/\n/);
    lines.interrupt();
    const { stdout } = await lines.done;
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => rows(line).length),
    ).toEqual([5]);
  });
});
