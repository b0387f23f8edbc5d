import { maskUrl } from '../../kit/mask-url.ts';
import { commandLine } from '../../kit/shell.ts';
import { type FlagSpan, partitionFlags } from './partition-flags.ts';
import type { Settings } from './settings.ts';

/** The flags that select the service. */
const SERVICE_FLAGS = /^--(profile|base-url|workspace|region)(=|$)/;
/** The flags that select a service. */
export const serviceFlags: FlagSpan = (word) => {
  if (word === '-p') return 2;
  if (/^-p./.test(word)) return 1;
  return SERVICE_FLAGS.test(word) ? (word.includes('=') ? 1 : 2) : 0;
};

/** The commands that open the data that `--database` names, as those do from which they follow. */
const STORE_COMMANDS = ['keys', 'workspaces'];
const databaseFlag: FlagSpan = (word) => (word === '--database' ? 2 : word.startsWith('--database=') ? 1 : 0);

/** What is known about the command line once it has been parsed. */
interface Known {
  /** The flags that select the service, of a command line that the hints must not repeat. */
  readonly service?: readonly string[];
  readonly command?: string;
  readonly settings?: RemoteSettings;
}

type RemoteSettings = Extract<Settings, { kind: 'remote' }>;

/** An immutable command line, from which the hints of errors are made as commands that can be pasted. */
export class Invocation {
  readonly #argv: readonly string[] | undefined;
  readonly #known: Known;

  /** `argv` excludes `svc`; omit it for an error that is not tied to a command line, such as that of one input line. */
  constructor(argv?: readonly string[], known: Known = {}) {
    this.#argv = argv;
    this.#known = known;
  }

  /** The command's words, such as `events send`; undefined until the command is found. */
  get command(): string | undefined {
    return this.#known.command;
  }

  /** The settings of the connection; undefined until the command connects to a remote service. */
  get settings(): RemoteSettings | undefined {
    return this.#known.settings;
  }

  withCommand(command: string): Invocation {
    return new Invocation(this.#argv, { ...this.#known, command });
  }

  withSettings(settings: RemoteSettings): Invocation {
    return new Invocation(this.#argv, { ...this.#known, settings });
  }

  /** Returns what the hints of one input line are made from: the same service, but not the command for all lines. */
  ofLine(): Invocation {
    return new Invocation(undefined, { ...this.#known, service: this.#serviceFlags() });
  }

  /** Returns whether `flag` was typed before any `--`: what follows belongs to another program. */
  has(flag: string): boolean {
    const argv = this.#argv ?? [];
    const end = argv.indexOf('--');
    return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
  }

  /** Returns the same command line with `flag` added, or replaced where it was given. */
  rerunWith(...flag: [flag?: string, value?: string]): string {
    const added = flag.filter((word) => word !== undefined);
    return this.#replace((word) => {
      if (flag[0] === undefined) return 0;
      if (word === flag[0]) return flag[1] === undefined ? 1 : 2;
      return word.startsWith(`${flag[0]}=`) ? 1 : 0;
    }, added);
  }

  /** Returns the same command line with other words in place of `flag`, which has a value. */
  replacing(flag: string, ...words: string[]): string {
    const [first = ''] = words;
    return this.#replace((word) => {
      if (word === flag || word === first) return 2;
      return word.startsWith(`${flag}=`) || word.startsWith(`${first}=`) ? 1 : 0;
    }, words);
  }

  /** Returns the same command line for the local service, without the flags that select another one. */
  locally(): string {
    return this.#replace(serviceFlags, ['--profile', 'local']);
  }

  /** Returns another command with the flags that select the same service, and its data where the command opens them. */
  onSameService(...command: string[]): string {
    // What follows `--` belongs to another program.
    const end = command.includes('--') ? command.indexOf('--') : command.length;
    return pasteable(['svc', ...command.slice(0, end), ...this.#flagsFor(command), ...command.slice(end)]);
  }

  /** Returns another command with an operand; an operand that starts with a dash is placed after `--`. */
  onSameResource(operand: string, ...command: string[]): string {
    const flags = this.#flagsFor(command);
    const last = operand.startsWith('-') ? [...flags, '--', operand] : [operand, ...flags];
    return pasteable(['svc', ...command, ...last]);
  }

  /** Returns the command that shows the help of this one. */
  help(): string {
    return this.command === undefined ? 'svc --help' : `svc ${this.command} --help`;
  }

  #flagsFor(command: readonly string[]): readonly string[] {
    const database = STORE_COMMANDS.includes(command[0]!)
      ? partitionFlags(this.#argv ?? [], databaseFlag).flags
      : [];
    return [...this.#serviceFlags(), ...database];
  }

  #serviceFlags(): readonly string[] {
    return this.#known.service ?? partitionFlags(this.#argv ?? [], serviceFlags).flags;
  }

  #replace(span: FlagSpan, added: readonly string[]): string {
    if (this.#argv === undefined)
      return ['repeat the command', ...(added.length === 0 ? [] : ['with', ...added])].join(' ');
    const { others, rest } = partitionFlags(this.#argv, span);
    return pasteable(['svc', ...others, ...added, ...rest]);
  }
}

/** Quotes words for the shell and masks passwords in URLs. */
function pasteable(words: readonly string[]): string {
  return commandLine(
    words.map((word) =>
      word.replace(/^(--[\w-]+=)?(\w+:\/\/.*)$/s, (_, flag = '', url) => flag + maskUrl(url)),
    ),
  );
}

/** For errors that are not tied to a command line. */
export const NO_INVOCATION = new Invocation();
