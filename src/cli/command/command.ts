import type { Interfaces } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { type Connection, type ConnectOptions, connect } from '../connection/connect.ts';
import { type Paths, pathsOf } from '../connection/paths.ts';
import { resolveSettings } from '../connection/settings.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { type GlobalFlags, globalFlags } from '../flags/global-flags.ts';
import { parse } from '../flags/oclif.ts';
import { Invocation } from '../invocation/invocation.ts';
import type { Settings } from '../invocation/settings.ts';
import { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { CommandExit } from './command-exit.ts';
import { listenForInterrupt } from './interrupt.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { emptyId, toParseError } from './parse-error.ts';
import { flushed, processWorld } from './process-world.ts';
import { reportFailure } from './report-failure.ts';

/** What a command receives: its parsed flags and arguments, and its access to everything outside the process. */
export interface Context<C extends CommandStatics = CommandStatics> {
  readonly flags: Interfaces.InferredFlags<C['flags']> & GlobalFlags;
  readonly args: Interfaces.InferredArgs<C['args']>;
  /** Arguments in the order typed, for commands that accept any number. */
  readonly argv: string[];
  readonly world: World;
  readonly out: Output;
  readonly paths: Paths;
  readonly version: string;
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: string;
  /** Returns the description of all commands, those of plugins included. */
  readonly manifest: () => Manifest;
  /** The current invocation, for hints; it includes the settings once they are resolved. */
  readonly invocation: Invocation;
  /** Aborts at the first Ctrl-C or SIGTERM. A second one exits with 130 at once. */
  readonly signal: AbortSignal;
  /** Resolves the settings from flags, environment and profile. Throws not_configured and usage. */
  resolveSettings(): Settings;
  /** Connects to the service that flags, environment or profile select; closed when the command ends. */
  connect(options?: ConnectOptions): Promise<Connection & { client: Client }>;
}

interface CommandStatics {
  flags: Interfaces.FlagInput;
  args: Interfaces.ArgInput;
}

/** The program that runs a command. */
export interface Program {
  readonly world: World;
  readonly version: string;
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: string;
  /** Returns the description of all commands, those of plugins included. */
  readonly manifest: () => Manifest;
}

/** One call of a command. */
interface Call extends Program {
  /** The command's id in the manifest, such as `events:send`. */
  readonly id: string;
  readonly invocation: Invocation;
}

/** A concrete command class. */
export interface CommandClass {
  readonly id: string;
  new (argv: readonly string[], call: Call): SvcCommand;
}

/**
 * The base of every command: parses flags, runs the command, reports its failure and releases its resources.
 * It has the static side of an oclif command, so that oclif's `Config` can list and run every subclass, but does not
 * extend oclif's own base class, which loads the help, the plugins and the TypeScript support of every program.
 */
export abstract class SvcCommand {
  static aliases: string[] = [];
  static args: Interfaces.ArgInput = {};
  static baseFlags: Interfaces.FlagInput = globalFlags;
  static description: string | undefined = undefined;
  static examples: string[] = [];
  /**
   * True for a command that prints results one by one, and has no more to do once nobody reads them: it then ends with 0.
   * Any other ends with the exit code of its work, also where the reader of its result is gone.
   */
  static endsWithReader = false;
  /** The exit codes that the command can return; the default is that of a command that calls a service. */
  static exitCodes: readonly ExitCode[] = [0, 1, 2, 4, 5, 6, 130];
  static flags: Interfaces.FlagInput = {};
  static hidden = false;
  /** Assigned by oclif when it finds the class. */
  static id = '';
  /** False for a command that accepts any number of arguments. */
  static strict = true;
  static summary: string;
  /** Replaces the generated usage line; starts with the command's id. */
  static usage: string | undefined = undefined;

  readonly argv: string[];
  readonly #call: Call;

  constructor(argv: readonly string[], call: Call) {
    this.argv = [...argv];
    this.#call = call;
  }

  /** Runs the command for oclif (`config.runCommand`). Rejects with CommandExit unless the exit code is 0. */
  static async run(
    this: CommandClass,
    argv: readonly string[],
    { root, version }: { readonly root: string; readonly version: string },
  ): Promise<void> {
    const { id } = this;
    const program = { world: processWorld(), root, version, manifest: () => readManifest(root) };
    const invocation = new Invocation([...id.split(':'), ...argv]);
    const code = await new this(argv, { ...program, id, invocation }).execute();
    await flushed();
    if (code !== EXIT.done) throw new CommandExit(code);
  }

  /** Does the work. Resolves with the exit code, 0 by default. Failures are thrown as SvcError. */
  protected abstract run(context: Context): Promise<ExitCode> | Promise<void>;

  /** Runs the command and reports a failure on stderr. Resolves with the exit code and never rejects. */
  async execute(): Promise<number> {
    const { world, version, root, manifest, id } = this.#call;
    world.endsWithReader((this.constructor as typeof SvcCommand).endsWithReader);
    let invocation = this.#call.invocation.withCommand(id.replaceAll(':', ' '));
    try {
      const { flags, args, argv } = await this.#parse();
      const out = new Output(world, { json: flags.json, quiet: flags.quiet });
      const interrupt = listenForInterrupt(world);
      const connections: Connection[] = [];
      const resolve = () => {
        const settings = resolveSettings(flags, world);
        if (settings.kind === 'remote') invocation = invocation.withSettings(settings);
        return settings;
      };
      try {
        const code = await this.run({
          flags,
          args,
          argv,
          world,
          out,
          paths: pathsOf(world),
          version,
          root,
          manifest,
          get invocation() {
            return invocation;
          },
          signal: interrupt.signal,
          resolveSettings: resolve,
          connect: async (options) => {
            const settings = resolve();
            const connection = await connect({
              world,
              out,
              flags,
              settings,
              version,
              onOtherRegion: invocation.onSameService('doctor'),
              ...options,
            });
            connections.push(connection);
            return connection;
          },
        });
        return code ?? EXIT.done;
      } finally {
        for (const connection of connections) await connection.close(interrupt.signal);
        interrupt.stop();
      }
    } catch (error) {
      return reportFailure(error, invocation, world);
    }
  }

  async #parse(): Promise<Pick<Context, 'flags' | 'args' | 'argv'>> {
    const { args, flags, baseFlags, strict } = this.constructor as typeof SvcCommand;
    const all = { ...baseFlags, ...flags };
    // oclif would read a missing argument from standard input; here it is an error.
    const own = Object.entries(args).map(([name, arg]) => [name, { ...arg, ignoreStdin: true }]);
    try {
      const parsed = await parse(this.argv, { args: Object.fromEntries(own), flags: all, strict });
      if (parsed.args.id === '') throw emptyId(this.#call.id, args.id?.description);
      return {
        flags: parsed.flags as Context['flags'],
        args: parsed.args,
        argv: parsed.argv as string[],
      };
    } catch (error) {
      throw toParseError(error, this.#call.id, all);
    }
  }
}
