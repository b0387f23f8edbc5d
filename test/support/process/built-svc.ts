import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bundleProgram } from '../../../scripts/bundle.js';
import { ROOT } from './run-svc.ts';

/** The arguments for node that run the program as it is now. */
export async function builtSvc(): Promise<string[]> {
  return [join(await builtProgram(), 'run.cjs')];
}

/**
 * The folder of the program as it is packed, except its native part, for which it is inside node_modules. The first test
 * of a run that needs it builds it, and the others wait. `run.cjs` runs it with a code cache that all tests share.
 */
export async function builtProgram(): Promise<string> {
  const folder = inject('program');
  const program = join(folder, 'program');
  const lock = join(folder, 'lock');
  while (!existsSync(program)) {
    if (!acquire(lock)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    try {
      if (!existsSync(program)) await build(join(folder, 'unfinished'), program);
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
  return program;
}

/** Returns whether this process has created the folder. */
function acquire(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function build(unfinished: string, program: string): Promise<void> {
  mkdirSync(unfinished);
  for (const part of ['bin', 'package.json', 'oclif.manifest.json', 'plugin-manager', 'examples/app'])
    cpSync(join(ROOT, part), join(unfinished, part), { recursive: true });
  await bundleProgram(join(unfinished, 'dist'));
  writeFileSync(join(unfinished, 'run.cjs'), runner(program));
  // Tests also run it as another user.
  for (const folder of [join(unfinished, '..'), unfinished]) chmodSync(folder, 0o755);
  renameSync(unfinished, program);
}

const runner = (program: string) => `const { env } = process;
const { XDG_CACHE_HOME } = env;
env.XDG_CACHE_HOME = ${JSON.stringify(join(program, 'cache'))};
const main = require('./bin/code-cache.js').loadCached(${JSON.stringify(join(program, 'dist', 'main.cjs'))});
if (XDG_CACHE_HOME === undefined) delete env.XDG_CACHE_HOME;
else env.XDG_CACHE_HOME = XDG_CACHE_HOME;
main.run(${JSON.stringify(program)});
`;
