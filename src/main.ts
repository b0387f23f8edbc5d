import { Config } from '@oclif/core';
import type { SvcCommand } from './cli/command.ts';
import { COMMANDS } from './cli/commands.gen.ts';
import type { SvcError } from './cli/errors.ts';
import { EXIT } from './cli/exit-codes.ts';
import { toSvcError } from './cli/failure.ts';
import { findCommand } from './cli/find-command.ts';
import { showHelp } from './cli/help.ts';
import { Output } from './cli/output.ts';
import { processWorld } from './cli/process-world.ts';
import { bold, red } from './cli/render/text.ts';
import { setWorld, type World } from './cli/world.ts';

/**
 * Runs one command line: `argv` without node and script. Resolves with the exit code and never rejects.
 * `root` is the folder of package.json and oclif.manifest.json.
 */
export async function main(argv: readonly string[], world: World, root: string): Promise<number> {
  // What follows `--` belongs to another program.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const out = new Output(world, { json: own.includes('--json'), quiet: false });
  try {
    const config = await loadConfig(root, world);
    if (/^(--version|-v|version)$/.test(argv[0] ?? '')) {
      out.result(
        { version: config.version, node: process.version },
        () => `svc ${config.version} (node ${process.version})`,
      );
      return EXIT.done;
    }
    const wantsHelp = own.some((word) => word === '--help' || word === '-h');
    if (argv.length === 0 || argv[0] === 'help' || wantsHelp) {
      await showHelp(
        config,
        world,
        argv.filter((word) => word !== '--help' && word !== '-h' && word !== 'help'),
      );
      return EXIT.done;
    }
    const { command, rest } = findCommand(config, argv);
    // Not through oclif's own `run`, which would load the configuration again and choose its own exit codes.
    const Loaded = (await command.load()) as unknown as new (argv: string[], config: Config) => SvcCommand;
    return await new Loaded(rest, config).run();
  } catch (error) {
    return report(toSvcError(error, own.includes('--debug')), out);
  }
}

/** The whole process: runs its arguments and sets its exit code. */
export async function run(root: string): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), processWorld(), root);
}

/** Commands are known from the manifest; their code is loaded when one runs. */
async function loadConfig(root: string, world: World): Promise<Config> {
  const config = await Config.load({ root });
  setWorld(config, world);
  for (const command of config.commands) {
    const load = COMMANDS[command.id];
    if (load) command.load = async () => (await load()).default as never;
  }
  return config;
}

function report(error: SvcError, out: Output): number {
  if (out.json) out.info(JSON.stringify(error));
  else
    out.info([
      red(bold('error: ')),
      error.message,
      error.requestId ? ` [${error.requestId}]` : '',
      '\n  next: ',
      error.hint,
    ]);
  return error.exitCode;
}
