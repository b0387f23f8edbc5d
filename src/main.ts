import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushed, processWorld } from './cli/command/process-world.ts';
import type { World } from './cli/terminal/world.ts';

/**
 * Runs one command line. Resolves with the exit code and never rejects.
 * `argv` excludes node and the script; `root` is the folder of package.json and oclif.manifest.json.
 */
export async function main(argv: readonly string[], world: World, root: string): Promise<number> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  // Answered here, without loading what commands need.
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
 * Runs the arguments of the process and exits with their code as soon as all output is written. Waiting for V8's
 * background work would double the time of a short command.
 */
export async function run(root: string): Promise<void> {
  const code = await main(process.argv.slice(2), processWorld(), root);
  await flushed();
  process.exit(code);
}

/** Loads every command class by its id, for oclif: dist/commands.mjs exports them. */
export async function loadCommands() {
  const program = await import('./program/dispatch.ts');
  return program.loadCommands();
}
