import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const HASH = 'a'.repeat(64);
const content = { contentId: 'only', category: 'c', format: 'card', title: 'T', body: 'B' };

test('svc serve --catalog uses the file, and refuses an invalid one with the path of the error', async () => {
  const home = tempDir();
  const catalog = join(home, 'catalog.json');
  writeFileSync(catalog, JSON.stringify({ contents: [content] }));
  const { env, stop } = await runServe(['--catalog', catalog], { home });
  const { stdout } = await runSvc(['decide', '--hash-id', HASH, '--json'], { env });
  expect(JSON.parse(stdout).action.contentId).toBe('only');
  expect((await stop()).code).toBe(0);

  // The data of `local` remembers it.
  const local = await runSvc(['decide', '--hash-id', HASH, '--json', '-p', 'local'], { home });
  expect(JSON.parse(local.stdout).action.contentId).toBe('only');

  writeFileSync(catalog, JSON.stringify({ contents: [{ ...content, prior: 'high' }] }));
  const bad = await runSvc(['serve', '--port', '0', '--json', '--catalog', catalog], { home });
  expect([bad.code, bad.stdout]).toEqual([2, '']);
  expect(JSON.parse(bad.stderr).error.message).toMatch(/contents\[0\]\.prior must be a number/);
  const missing = await runSvc(['serve', '--port', '0', '--catalog', join(home, 'none.json')], { home });
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringMatching(/no such file: .*none\.json/)]);
});

test('SVC_SEED makes the choices of a run repeatable', async () => {
  const run = async (seed: string | undefined) => {
    const home = tempDir();
    const env = { SVC_PROFILE: 'local', SVC_SEED: seed };
    const chosen: string[] = [];
    // One after the other: each decision is learned from, so the order of requests matters too.
    for (let i = 0; i < 6; i++) {
      const { stdout } = await runSvc(['decide', '--hash-id', String(i % 2).repeat(64), '--json'], {
        env,
        home,
      });
      chosen.push(JSON.parse(stdout).action.contentId);
    }
    return chosen.join();
  };
  const first = await run('42');
  expect(await run('42')).toBe(first);
  expect(await run('43')).not.toBe(first);
  expect(await run(undefined)).not.toBe(first);
});
