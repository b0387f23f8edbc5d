import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushed, processWorld } from './cli/command/process-world.ts';
import type { World } from './cli/terminal/world.ts';

/**
 * Runs one command line: `argv` without node and script. Resolves with the exit code and never rejects.
 * `root` is the folder of package.json and oclif.manifest.json. The version needs nothing of what commands need.
 */
export async function main(argv: readonly string[], world: World, root: string): Promise<number> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  if (/^(--version|-v|version)$/.test(argv[0] ?? '')) {
    const { version: node } = process;
    world.stdout.write(
      argv.includes('--json') ? `${JSON.stringify({ version, node })}\n` : `svc ${version} (node ${node})\n`,
    );
    return 0;
  }
  const { dispatch } = await import('./program/dispatch.ts');
  return dispatch(argv, { world, version, root });
}

/**
 * The whole process: runs its arguments and ends with their exit code, as soon as what was said is written. Waiting
 * for what V8 still does in the background would double the time of a short command.
 */
export async function run(root: string): Promise<void> {
  const code = await main(process.argv.slice(2), processWorld(), root);
  await flushed();
  process.exit(code);
}
