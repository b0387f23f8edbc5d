import { maskUrl } from '../../kit/mask-url.ts';
import { commandLine } from '../../kit/shell.ts';
import { type FlagSpan, partitionFlags } from './partition-flags.ts';
import type { Settings } from './settings.ts';

/** Flags that say which service a command works on. */
const WHERE = /^--(profile|base-url|workspace|region)(=|$)/;
const where: FlagSpan = (word) => {
  if (word === '-p') return 2;
  if (/^-p./.test(word)) return 1;
  return WHERE.test(word) ? (word.includes('=') ? 1 : 2) : 0;
};

/** What was typed and what came of it: the next step of a failure is made from it, so that it can be pasted. */
export class Invocation {
  /** The command's words, such as `events send`; undefined while it is not known. */
  command: string | undefined;
  /** The settings of the connection, once they are found. */
  settings: Extract<Settings, { kind: 'remote' }> | undefined;
  readonly #argv: readonly string[] | undefined;

  /** `argv` as it came, without `svc`; nothing where a failure stands for itself, as that of one line of many. */
  constructor(argv?: readonly string[]) {
    this.#argv = argv;
  }

  /** The same command line, with a flag more or in place of what was given for it. */
  again(...flag: [flag?: string, value?: string]): string {
    const more = flag.filter((word) => word !== undefined);
    return this.#instead((word) => {
      if (flag[0] === undefined) return 0;
      if (word === flag[0]) return flag[1] === undefined ? 1 : 2;
      return word.startsWith(`${flag[0]}=`) ? 1 : 0;
    }, more);
  }

  /** The same on the service of this machine, in place of the one that the flags name. */
  locally(): string {
    return this.#instead(where, ['--profile', 'local']);
  }

  /** Another command on the same service: under the flags typed that name it. */
  on(...command: string[]): string {
    return pasted(['svc', ...command, ...partitionFlags(this.#argv ?? [], where).flags]);
  }

  /** The same for a command with an operand, which may be foreign text: it is never read as a flag. */
  onThis(operand: string, ...command: string[]): string {
    const flags = partitionFlags(this.#argv ?? [], where).flags;
    const behind = operand.startsWith('-') ? [...flags, '--', operand] : [operand, ...flags];
    return pasted(['svc', ...command, ...behind]);
  }

  /** The page that explains the command's flags. */
  help(): string {
    return this.command === undefined ? 'svc --help' : `svc ${this.command} --help`;
  }

  #instead(of: FlagSpan, more: readonly string[]): string {
    if (this.#argv === undefined) return ['the same again', ...more].join(' ');
    const { others, rest } = partitionFlags(this.#argv, of);
    return pasted(['svc', ...others, ...more, ...rest]);
  }
}

/** A password in a URL was typed once; it is not printed for that. */
function pasted(words: readonly string[]): string {
  return commandLine(
    words.map((word) =>
      word.replace(/^(--[\w-]+=)?(\w+:\/\/.*)$/s, (_, flag = '', url) => flag + maskUrl(url)),
    ),
  );
}

/** A failure that stands for itself. */
export const NO_INVOCATION = new Invocation();
