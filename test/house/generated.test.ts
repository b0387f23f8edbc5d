import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const FILES = [
  'src/program/commands.gen.ts',
  'src/contract/operations.gen.ts',
  'oclif.manifest.json',
  'openapi.json',
  'types/operations.d.mts',
  'types/delivery.d.mts',
  'docs/catalog.schema.json',
  'docs/faults.schema.json',
  'docs/llms.txt',
  'docs/mapping.schema.json',
  ...['commands', 'environment', 'exit-codes', 'files', 'flags'].map((name) => `docs/${name}.md`),
];

it('the command list, the manifest, openapi.json, the types and the generated pages are up to date', async () => {
  const out = tempDir();
  await promisify(execFile)(process.execPath, ['scripts/generate.js', out], { cwd: ROOT });
  for (const file of FILES) {
    const [made, committed] = [out, ROOT].map((folder) => readFileSync(join(folder, file), 'utf8'));
    expect(committed, `${file} is stale: run \`npm run generate\``).toBe(made);
  }
});
