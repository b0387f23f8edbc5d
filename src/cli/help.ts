import { type Config, Help, type Interfaces } from '@oclif/core';
import { leadingWords } from './find-command.ts';
import type { World } from './world.ts';

/** oclif's help, written to the world's stdout instead of the process's. */
class WorldHelp extends Help {
  readonly #world: World;

  constructor(config: Config, world: World) {
    super(config as Interfaces.Config, {
      maxWidth: Math.min(world.stdout.columns ?? 100, 120),
      stripAnsi: !world.stdout.isTTY || Boolean(world.env.NO_COLOR),
    });
    this.#world = world;
  }

  protected override log(...lines: string[]): void {
    this.#world.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Shows the help of the command or topic that `argv` names, or of the program. */
export async function showHelp(config: Config, world: World, argv: readonly string[]): Promise<void> {
  const words = leadingWords(argv);
  const help = new WorldHelp(config, world);
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':');
    if (config.findCommand(id) || config.findTopic(id)) return help.showHelp([id]);
  }
  return help.showHelp([]);
}
