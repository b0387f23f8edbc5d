import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestConsole } from '../../support/console/test-console.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

it('tells the latest injections, and adds at most 100 rules', async () => {
  const faults = join(tempDir(), 'faults.json');
  writeFileSync(faults, JSON.stringify({ seed: 1, requests: [{ endpoint: 'listWebhooks', fault: 'fail' }] }));
  const service = await startTestService({ faults });
  const page = await startTestConsole(service);
  const read = async () => JSON.parse((await page.ask('GET', '/console/faults')).text);
  const about = async () => JSON.parse((await page.ask('GET', '/console/about')).text);
  expect((await read()).latest).toEqual([]);
  expect((await about()).faultsOn).toBe(1);
  for (let i = 0; i < 60; i++) expect((await service.fetch('/v1/webhooks')).status).toBe(503);
  const { latest } = await read();
  expect(latest).toHaveLength(50);
  expect(latest[0]).toMatchObject({ place: 'requests', fault: 'fail', of: 'listWebhooks' });
  expect(Date.parse(latest[0].at)).toBeGreaterThanOrEqual(Date.parse(latest[49].at));

  expect((await read()).rules).toMatchObject([{ on: true, changedAt: null }]);

  const put = (body: unknown) => page.ask('PUT', '/console/faults', { body });
  const rule = { fault: 'double' };
  for (let i = 1; i < 100; i++) expect((await put({ place: 'deliveries', rule })).status).toBe(200);
  const refused = await put({ place: 'requests', rule: { fault: 'fail' } });
  expect([refused.status, JSON.parse(refused.text).message]).toEqual([
    409,
    'This process has 100 rules: remove or change one of them.',
  ]);
  // One that is there can be changed, and one removed makes room.
  expect((await put({ place: 'deliveries', index: 3, rule })).status).toBe(200);
  expect((await put({ place: 'deliveries', index: 3, remove: true })).status).toBe(200);
  expect((await put({ place: 'requests', rule: { fault: 'fail' } })).status).toBe(200);
  expect((await about()).faultsOn).toBe(100);
  // A frequent fault leaves the others their place, also once their rule is off.
  await put({
    place: 'requests',
    index: 0,
    rule: { endpoint: 'listWebhooks', fault: 'slow-answer', delayMs: 1 },
  });
  expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  await put({ place: 'requests', index: 0, on: false });
  for (let i = 0; i < 60; i++) expect((await service.fetch('/v1/webhooks')).status).toBe(503);
  const after = await read();
  expect(after.latest).toHaveLength(51);
  expect(after.latest[50]).toMatchObject({ fault: 'slow-answer', delayMs: 1 });
  expect(Date.parse(after.rules[0].changedAt)).toBeGreaterThan(0);
});
