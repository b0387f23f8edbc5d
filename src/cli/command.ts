import { Command, type Interfaces } from '@oclif/core';
import type { Client } from '../client/client.ts';
import { type Connection, type ConnectOptions, connect } from './connect.ts';
import type { ExitCode } from './exit-codes.ts';
import { type GlobalFlags, globalFlags } from './flags.ts';
import { Output } from './output.ts';
import { type Paths, pathsOf } from './paths.ts';
import { type World, worldOf } from './world.ts';

/** What a command is handed: its parsed flags and arguments and everything from outside. */
export interface Context<C extends typeof Command = typeof Command> {
  readonly flags: Interfaces.InferredFlags<C['flags']> & GlobalFlags;
  readonly args: Interfaces.InferredArgs<C['args']>;
  /** Arguments in the order typed, for commands that take any number. */
  readonly argv: string[];
  readonly world: World;
  readonly out: Output;
  readonly paths: Paths;
  /** Fires at the first Ctrl-C or SIGTERM. A second one ends the process at once, with 130. */
  readonly signal: AbortSignal;
  /** Connects to the service that the flags, the environment or the profile name; closed when the command ends. */
  connect(options?: ConnectOptions): Promise<Connection & { client: Client }>;
}

/**
 * Signals this close together, in ms, are one Ctrl-C: npm passes on what the terminal has sent already, and a part of
 * conf (when-exit) raises each signal again once it is done.
 */
const SAME_INTERRUPT_MS = 100;

/** The base of every command: parse, make the context, act, clean up. Errors become words in main.ts. */
export abstract class SvcCommand extends Command {
  static override baseFlags = globalFlags as typeof Command.baseFlags;

  /** Does the work. Resolves with the exit code, 0 unless given. Failures are thrown as SvcError. */
  protected abstract act(context: Context): Promise<ExitCode> | Promise<void>;

  override async run(): Promise<ExitCode> {
    const world = worldOf(this.config);
    // oclif would take a missing argument from standard input, which here is a command's data.
    for (const arg of Object.values(this.ctor.args)) arg.ignoreStdin = true;
    const parsed = await this.parse(this.ctor);
    const flags = parsed.flags as Context['flags'];
    const out = new Output(world, { json: flags.json, quiet: flags.quiet });
    const stopping = new AbortController();
    let heardAt: number | undefined;
    const stop = world.onInterrupt(() => {
      const now = world.clock.now();
      if (heardAt !== undefined && now - heardAt > SAME_INTERRUPT_MS) world.exit(130);
      heardAt ??= now;
      stopping.abort();
    });
    const connections: Connection[] = [];
    try {
      const code = await this.act({
        flags,
        args: parsed.args as Context['args'],
        argv: parsed.argv as string[],
        world,
        out,
        paths: pathsOf(world),
        signal: stopping.signal,
        connect: async (options) => {
          const connection = await connect(world, out, flags, this.config.version, options);
          connections.push(connection);
          return connection;
        },
      });
      return code ?? 0;
    } finally {
      for (const connection of connections) await connection.close();
      stop();
    }
  }
}
