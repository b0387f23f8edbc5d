import { setMaxListeners } from 'node:events';
import type { Interfaces } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { type Connection, type ConnectOptions, connect } from '../connection/connect.ts';
import { type Paths, pathsOf } from '../connection/paths.ts';
import { resolveSettings } from '../connection/settings.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { type GlobalFlags, globalFlags } from '../flags/global-flags.ts';
import { parse } from '../flags/oclif.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { toParseError } from './parse-error.ts';

/** What a command is handed: its parsed flags and arguments and everything from outside. */
export interface Context<C extends CommandStatics = CommandStatics> {
  readonly flags: Interfaces.InferredFlags<C['flags']> & GlobalFlags;
  readonly args: Interfaces.InferredArgs<C['args']>;
  /** Arguments in the order typed, for commands that take any number. */
  readonly argv: string[];
  readonly world: World;
  readonly out: Output;
  readonly paths: Paths;
  /** The version of svc, and the folder of its package.json and manifest. */
  readonly version: string;
  readonly root: string;
  /** The command line, for next steps that repeat it. */
  readonly invocation: Invocation;
  /** Fires at the first Ctrl-C or SIGTERM. A second one ends the process at once, with 130. */
  readonly signal: AbortSignal;
  /** Connects to the service that the flags, the environment or the profile name; closed when the command ends. */
  connect(options?: ConnectOptions): Promise<Connection & { client: Client }>;
}

/**
 * Signals this close together, in ms, are one Ctrl-C: npm, for one, passes on what the terminal has sent already.
 */
const SAME_INTERRUPT_MS = 100;

interface CommandStatics {
  flags: Interfaces.FlagInput;
  args: Interfaces.ArgInput;
}

/** The program around a command. */
export interface Program {
  readonly world: World;
  readonly version: string;
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: string;
  readonly invocation: Invocation;
}

/**
 * The base of every command: parse, make the context, act, clean up. Errors become words in main.ts.
 * Its statics are those of an oclif command, from which the manifest, the help and the docs are made; oclif's own base
 * class is left out because it loads the help, the plugins and the TypeScript support of every program there is.
 */
export abstract class SvcCommand {
  static aliases: string[] = [];
  static args: Interfaces.ArgInput = {};
  static baseFlags: Interfaces.FlagInput = globalFlags;
  static description: string | undefined = undefined;
  static examples: string[] = [];
  /** The exit codes it can end with; these are those of a command that calls a service. */
  static exitCodes: readonly ExitCode[] = [0, 1, 2, 4, 5, 6, 130];
  static flags: Interfaces.FlagInput = {};
  static hidden = false;
  /** False for a command that takes any number of arguments. */
  static strict = true;
  static summary: string;
  /** In place of the usage line made from arguments and flags; begins with the command's id. */
  static usage: string | undefined = undefined;

  readonly argv: string[];
  readonly #program: Program & { readonly id: string };

  /** `program.id` is the command's own name in the manifest. */
  constructor(argv: readonly string[], program: Program & { readonly id: string }) {
    this.argv = [...argv];
    this.#program = program;
  }

  /** Does the work. Resolves with the exit code, 0 unless given. Failures are thrown as SvcError. */
  protected abstract run(context: Context): Promise<ExitCode> | Promise<void>;

  async execute(): Promise<ExitCode> {
    const { world, version, root, invocation } = this.#program;
    const parsed = await this.#parse();
    const flags = parsed.flags as Context['flags'];
    const out = new Output(world, { json: flags.json, quiet: flags.quiet });
    const stopping = new AbortController();
    // Each of many requests under way listens, and stops when it ends: eleven of them are no leak.
    setMaxListeners(0, stopping.signal);
    let heardAt: number | undefined;
    const stop = world.onInterrupt(() => {
      const now = world.clock.now();
      if (heardAt !== undefined && now - heardAt > SAME_INTERRUPT_MS) world.exit(EXIT.interrupted);
      heardAt ??= now;
      stopping.abort();
    });
    const connections: Connection[] = [];
    try {
      const code = await this.run({
        flags,
        args: parsed.args as Context['args'],
        argv: parsed.argv as string[],
        world,
        out,
        paths: pathsOf(world),
        version,
        root,
        invocation,
        signal: stopping.signal,
        connect: async (options) => {
          const settings = resolveSettings(flags, world);
          if (settings.kind === 'remote') invocation.settings = settings;
          const told = { onOtherRegion: invocation.on('doctor'), ...options };
          const connection = await connect(world, out, flags, settings, version, told);
          connections.push(connection);
          return connection;
        },
      });
      return code ?? EXIT.done;
    } finally {
      for (const connection of connections) await connection.close();
      stop();
    }
  }

  async #parse() {
    const { args, flags, baseFlags, strict } = this.constructor as typeof SvcCommand;
    // A missing argument is a mistake, never a reason to wait for standard input, which oclif would do.
    const own = Object.entries(args).map(([name, arg]) => [name, { ...arg, ignoreStdin: true }]);
    const all = { ...baseFlags, ...flags };
    try {
      return await parse(this.argv, {
        args: Object.fromEntries(own),
        flags: all,
        strict,
        context: this as never,
      });
    } catch (error) {
      throw toParseError(error, this.#program.id, all);
    }
  }
}

/** A command's class, as the list of commands loads it. */
export type LoadableCommand = new (
  argv: readonly string[],
  program: Program & { readonly id: string },
) => SvcCommand;
