import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bundle } from '../../scripts/bundle.js';
import { ROOT } from './run-svc.ts';

/**
 * Builds the program as it is now and returns the arguments for node that run it: for tests that need a process of its
 * own, such as one that is killed. Gone with the test.
 */
export async function builtSvc(): Promise<string[]> {
  const dir = join(ROOT, 'node_modules', '.cache', `svc-test-${process.pid}-${Date.now()}`);
  mkdirSync(dir, { recursive: true });
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await bundle({ main: join(ROOT, 'src/main.ts') }, { dir, format: 'cjs' });
  const start = join(dir, 'start.cjs');
  writeFileSync(start, `require('./main.cjs').run(${JSON.stringify(ROOT)});\n`);
  return [start];
}
