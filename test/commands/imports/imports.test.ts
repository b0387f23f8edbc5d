import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const event = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`;
const file = (home: string, name: string, count: number) =>
  writeFileSync(join(home, name), Array.from({ length: count }, (_, n) => event(n)).join(''));

/** A machine with a finished import, and one that was cut off after its first batch. */
async function machine() {
  const home = tempDir();
  let requests = 0;
  const service = await startReceiver((response) => {
    if (++requests > 2) response.writeHead(503).end();
    else response.writeHead(202).end('{"accepted":10}');
  });
  onTestFinished(() => service.close());
  const env = { SVC_BASE_URL: service.url.replace(/\/$/, ''), SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const svc = (...argv: string[]) => runSvc(argv, { home, cwd: home, env });
  file(home, 'done.ndjson', 10);
  file(home, 'cut.ndjson', 30);
  expect((await svc('events', 'import', 'done.ndjson')).code).toBe(0);
  const cut = ['--batch-size', '10', '--concurrency', '1', '--max-retries', '0'];
  expect((await svc('events', 'import', 'cut.ndjson', ...cut)).code).toBe(6);
  return { home, svc, list: async () => JSON.parse((await svc('imports', 'list', '--json')).stdout).imports };
}

it('lists finished and unfinished imports with what was acknowledged, and forgets the named', async () => {
  const { home, svc, list } = await machine();
  const [cut, done] = await list();
  expect(done).toMatchObject({
    state: 'finished',
    kind: 'events',
    workspace: 'w',
    acknowledged: 10,
    left: 0,
  });
  expect(cut).toMatchObject({ state: 'unfinished', acknowledged: 10, left: null });
  expect(cut.inputs).toEqual([join(home, 'cut.ndjson')]);
  expect((await svc('imports', 'list')).stdout).toContain('cut.ndjson');

  // Without a terminal to confirm on, an unfinished one stays.
  expect(await svc('imports', 'forget', cut.id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  expect(await list()).toHaveLength(2);
  expect(JSON.parse((await svc('imports', 'forget', '--finished', '--json')).stdout)).toEqual({
    removed: [done.id],
  });
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([cut.id]);
  expect((await svc('imports', 'forget', cut.id.slice(0, 8), '--yes')).stdout).toBe(
    `removed import ${cut.id}\n`,
  );
  expect(await list()).toEqual([]);
  expect(readdirSync(join(home, 'data', 'imports')).filter((name) => name.includes('.journal'))).toEqual([]);
});

it('names what it does not know, and a journal that cannot be read', async () => {
  const { home, svc, list } = await machine();
  expect(await svc('imports', 'forget', 'zz')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no import zz'),
  });
  expect(await svc('imports', 'forget', '')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('ID is empty'),
  });
  const journals = join(home, 'data', 'imports');
  for (const name of ['same-1', 'same-2']) writeFileSync(join(journals, `${name}.journal`), 'not a journal');
  expect(await svc('imports', 'forget', 'same')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2 imports begin with'),
  });
  expect((await svc('imports', 'forget', 'same-1', 'same-2', '--yes')).code).toBe(0);
  expect((await svc('imports', 'forget')).code).toBe(2);
  writeFileSync(join(journals, 'broken.journal'), 'not a journal');
  const broken = (await list()).find(({ id }: { id: string }) => id === 'broken');
  expect(broken).toMatchObject({ state: 'unusable', inputs: null, acknowledged: null });
  expect((await svc('imports', 'forget', 'broken', '--yes')).code).toBe(0);
  expect(await list()).toHaveLength(2);
});
