import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** JSON in Latin-1: its é is no UTF-8. */
const LATIN1 = Buffer.from('{"name": "caf\xe9"}', 'latin1');

it.each([
  ['serve', '--port', '0', '--catalog'],
  ['serve', '--port', '0', '--faults'],
  ['decisions', 'evaluate', '--input', '-', '--policy'],
  ['webhooks', 'create', '-p', 'local', '--url', 'https://a.example', '--event', '*', '--secret-file'],
  ['events', 'import', '-', '--profile', 'local', '--mapping'],
])('svc %s %s %s %s %s refuses a file that is not UTF-8', async (...words) => {
  const home = tempDir();
  const file = join(home, 'latin1.json');
  writeFileSync(file, LATIN1);
  const run = await runSvc([...words.filter((word) => word !== undefined), file], { home, stdin: '' });
  expect(run.code, run.stderr).toBe(2);
  expect(run.stderr).toContain(`${file} is not UTF-8 text`);
});

it('refuses a provider file that is not UTF-8', async () => {
  const home = tempDir();
  const file = join(home, 'provider.json');
  writeFileSync(file, LATIN1);
  const provider = await runSvc(['serve', '--port', '0', '--provider', `sms=${file}`], { home });
  expect([provider.code, provider.stderr]).toEqual([2, expect.stringContaining('is not UTF-8 text')]);
});
