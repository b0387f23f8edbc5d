import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';

const FILE = readFileSync(join(ROOT, 'openapi.json'), 'utf8');

it('the service serves its description without a key', async () => {
  const service = await startTestService();
  const answer = await fetch(`${service.url}/openapi.json`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.text()).toBe(FILE);
  expect((await fetch(`${service.url}/openapi.json`, { method: 'HEAD' })).status).toBe(200);
});

it('svc api --spec prints the description, and --list the operations, without a service', async () => {
  expect(await runSvc(['api', '--spec'])).toEqual({ code: 0, stdout: FILE, stderr: '' });
  expect((await runSvc(['api', '--spec', '--json'])).stdout).toBe(FILE);
  const { operations } = JSON.parse((await runSvc(['api', '--list', '--json'])).stdout) as {
    operations: { operationId: string; method: string; path: string }[];
  };
  expect(operations.map(({ operationId }) => operationId)).toEqual(Object.keys(ENDPOINTS));
  const table = (await runSvc(['api', '--list'], { columns: 80 })).stdout;
  for (const { method, path } of operations)
    expect(table.replaceAll(/[ │]+/g, ' ')).toContain(`${method} ${path} `);
});

it.each([
  [['api'], /the path is missing[\s\S]*svc api --list/],
  [['api', 'GET', '/v1/webhooks', '--list'], /--list sends no request[\s\S]*svc api --list/],
  [['api', '--list', '--spec'], /sends no request/],
])('svc %j is a usage error with the next step', async (argv, words) => {
  const run = await runSvc(argv);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(words);
});

it('completes the paths of svc api by method, with the parameters that are typed', async () => {
  const complete = async (...words: string[]) => {
    const { stdout } = await runSvc(['complete', '--', ...words]);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]);
  };
  expect(await complete('api', 'POST', '/v1/e')).toEqual(['/v1/events', '/v1/events/deletions']);
  expect(await complete('api', 'patch', '')).toEqual(['/v1/webhooks/{id}']);
  expect(await complete('api', '/v1/dec')).toEqual(['/v1/decisions', '/v1/decisions/{id}']);
  expect(await complete('api', 'POST', '/v1/webhooks/wh_1/')).toEqual([
    '/v1/webhooks/wh_1/rotate',
    '/v1/webhooks/wh_1/redelivery',
    '/v1/webhooks/wh_1/deliveries/{deliveryId}/redeliver',
  ]);
  expect(await complete('api', 'G')).toEqual(['GET']);
});
