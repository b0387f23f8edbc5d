import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classOf, performanceOf } from '../../../src/service/webhooks/rules/performance.ts';
import { performance } from '../../../src/service/webhooks/store/performance.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { json, knownUser, receiver, start, subscribe } from '../../support/process/webhooks-service.ts';

const HOUR = 3_600_000;

it('counts each attempt, and finds percentiles within the class of the right one', () => {
  const attempt = fc.record({
    status: fc.constantFrom(200, 204, 410, 500, null),
    durationMs: fc.integer({ min: 0, max: 15_000 }),
  });
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 200 }), (attempts) => {
      const counts = attempts.map((each) => ({ class: classOf(each), n: 1 }));
      const found = performanceOf(counts);
      expect(found.attempts).toBe(attempts.length);
      expect(found.delivered).toBe(attempts.filter(({ status }) => status === 200 || status === 204).length);
      const times = attempts.flatMap(({ status, durationMs }) => (status === null ? [] : [durationMs]));
      expect('p95Ms' in found).toBe(times.length > 0);
      if (times.length === 0) return;
      times.sort((a, b) => a - b);
      for (const [share, ms] of [
        [0.5, found.p50Ms!],
        [0.95, found.p95Ms!],
      ] as const) {
        const right = times[Math.max(0, Math.ceil(share * times.length) - 1)]!;
        // At most the next class, for a time that is rounded to the end of its own.
        expect(
          Math.abs(classOf({ status: 200, durationMs: ms }) - classOf({ status: 200, durationMs: right })),
        ).toBeLessThanOrEqual(1);
      }
    }),
  );
});

it('says how deliveries went, by all nodes, also once they are removed', async () => {
  const service = await start();
  const other = await startTestService({ allowLoopbackWebhooks: true, database: service.database });
  let calls = 0;
  // What failed is not sent again during the test.
  const later = { 'retry-after': '3600' };
  const target = await receiver(
    (response) => void (++calls === 2 ? response.writeHead(500, later) : response.writeHead(204)).end(),
  );
  const { id } = await subscribe(service, target.url);
  const hashId = await knownUser(service);
  const path = `/v1/webhooks/${id}`;
  const read = async () => (await json(service.fetch(path), 200)).performance;
  const none = { attempts: 0, delivered: 0 };
  expect(await read()).toEqual({ hour: none, day: none, week: none });
  for (let n = 0; n < 6; n++) {
    const { decisionId } = await json(service.fetch('/v1/decisioning/decide', { body: { hashId } }), 200);
    const key = { authorization: `Bearer ${service.apiKey}`, 'x-service-workspace': service.workspace };
    const node = n % 2 === 0 ? service : other;
    const outcome = { body: { type: 'clicked' }, headers: key };
    await json(node.fetch(`/v1/messages/${decisionId}/outcomes`, outcome), 202);
    await target.waitFor(n + 1);
  }
  const all = { attempts: 6, delivered: 5, p50Ms: expect.any(Number), p95Ms: expect.any(Number) };
  await expect.poll(read).toEqual({ hour: all, day: all, week: all });
  const found = await read();
  expect(found.hour.p50Ms).toBeLessThanOrEqual(found.hour.p95Ms);

  const { store } = service.platform;
  const { workspace } = service;
  await store.write(async (tx) => {
    for (const table of ['delivery', 'delivery_attempt'])
      await tx.sql.run(`DELETE FROM ${table} WHERE workspace_id = ?`, [workspace]);
  });
  expect(await read()).toEqual(found);
  const shown = await runSvc(['webhooks', 'get', id], { env: service.env });
  expect(shown.stdout).toMatch(/^last week +83\.3 % of 6 attempts succeeded; P50 \d+ ms, P95 \d+ ms$/m);

  // A transaction that does not end counts nothing.
  const killed = store.write(async (tx) => {
    await performance.add(tx, workspace, id, [{ status: 200, durationMs: 1 }]);
    throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await read()).toEqual(found);

  const at = (later: number) =>
    store.write(async (tx) => {
      const then = { ...tx, now: tx.now + later };
      while ((await performance.purge(then, workspace, 1)) > 0);
      return performance.of(then, workspace, id);
    });
  expect(await at(2 * HOUR)).toEqual({ hour: none, day: all, week: all });
  expect(await at(26 * HOUR)).toEqual({ hour: none, day: none, week: all });
  const left = () =>
    store.read((tx) => tx.sql.all('SELECT * FROM webhook_performance WHERE workspace_id = ?', [workspace]));
  expect(new Set((await left()).map((row) => (row as { span_ms: number }).span_ms))).toEqual(new Set([HOUR]));
  await at(8 * 24 * HOUR);
  expect(await left()).toEqual([]);

  await store.write((tx) => performance.add(tx, workspace, id, [{ status: null, durationMs: 15_000 }]));
  expect((await read()).hour).toEqual({ attempts: 1, delivered: 0 });
  await json(service.fetch(path, { method: 'DELETE' }), 204);
  expect(await left()).toEqual([]);
});
