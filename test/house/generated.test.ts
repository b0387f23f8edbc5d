import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/run-svc.ts';
import { tempDir } from '../support/temp.ts';

it('the command list, the manifest and openapi.json are fresh', async () => {
  const out = tempDir();
  await promisify(execFile)(process.execPath, ['scripts/generate.js', out], { cwd: ROOT });
  for (const file of ['src/cli/commands.gen.ts', 'oclif.manifest.json', 'openapi.json']) {
    const [made, committed] = [out, ROOT].map((folder) => readFileSync(join(folder, file), 'utf8'));
    expect(committed, `${file} is stale: run \`npm run generate\``).toBe(made);
  }
});
