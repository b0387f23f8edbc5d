import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.js';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/** Counts the files that Node.js loads for `code`. */
function filesLoadedBy(code: string): number {
  const script = `${code}; console.log(Object.keys(require.cache).length)`;
  return Number(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' }));
}

it('undici is taken by its files, since the package loads twice as many, and is therefore pinned', () => {
  const parts = ["require('undici/lib/dispatcher/pool.js')", "require('undici/lib/api/api-request.js')"];
  // If the package became as light as its parts, the public API would do: import it, and remove the pin.
  expect(filesLoadedBy("require('undici')")).toBeGreaterThan(2 * filesLoadedBy(parts.join(';')));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(devDependencies.undici).toMatch(/^\d+\.\d+\.\d+$/);
});

it('the bundled client loads neither node:http2 nor the rare parts of oclif', async () => {
  const dir = tempDir();
  const entries = { transport: 'src/client/transport.ts', flags: 'src/cli/flags/oclif.ts' };
  await bundle(entries, { dir, format: 'cjs' });
  const loaded = (entry: string) =>
    JSON.parse(
      execFileSync(
        process.execPath,
        ['-e', `require('./${entry}.cjs'); console.log(JSON.stringify(process.moduleLoadList))`],
        { cwd: dir, encoding: 'utf8' },
      ),
    );
  expect(loaded('transport')).toContain('NativeModule net');
  expect(loaded('transport')).not.toContain('NativeModule http2');
  expect(loaded('flags')).not.toContain('NativeModule readline');
  expect(loaded('flags')).not.toContain('NativeModule fs/promises');
});
