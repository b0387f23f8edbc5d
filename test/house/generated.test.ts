import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

it('every generated file is up to date', async () => {
  const out = tempDir();
  await promisify(execFile)(process.execPath, ['scripts/generate.js', out], { cwd: ROOT });
  const made = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(join(out, file)).isFile());
  expect(made).toEqual(
    expect.arrayContaining(['openapi.json', 'src/contract/openapi/examples.json', 'types/operations.d.mts']),
  );
  for (const file of made) {
    const committed = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
    expect(committed, `${file} is stale: run \`npm run generate\``).toBe(
      readFileSync(join(out, file), 'utf8'),
    );
  }
});
