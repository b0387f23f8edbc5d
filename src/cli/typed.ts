import { commandLine } from '../kit/shell.ts';
import type { Settings } from './settings.ts';

/** Flags that say which service a command works on. */
const WHERE = /^--(profile|base-url|workspace|region)(=|$)/;

/** What was typed and what came of it: the next step of a failure is made from it, so that it can be pasted. */
export class Typed {
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
    if (this.#argv === undefined) return ['the same again', ...flag].join(' ');
    const end = this.#argv.indexOf('--');
    const own = end < 0 ? this.#argv : this.#argv.slice(0, end);
    const rest = this.#argv.slice(own.length);
    return commandLine([
      'svc',
      ...without(own, ...flag),
      ...flag.filter((word) => word !== undefined),
      ...rest,
    ]);
  }

  /** Another command on the same service: under the flags typed that name it. */
  on(...command: string[]): string {
    return commandLine(['svc', ...command, ...this.#where()]);
  }

  /** The page that explains the command's flags. */
  help(): string {
    return this.command === undefined ? 'svc --help' : `svc ${this.command} --help`;
  }

  #where(): string[] {
    const words: string[] = [];
    const argv = this.#argv ?? [];
    for (const [at, word] of argv.entries()) {
      if (word === '--') break;
      if (/^-p./.test(word) || (WHERE.test(word) && word.includes('='))) words.push(word);
      else if (word === '-p' || WHERE.test(word)) words.push(word, ...argv.slice(at + 1, at + 2));
    }
    return words;
  }
}

/** Words without those that give a flag, which takes a value where one is given. A flag may be given once only. */
function without(words: readonly string[], flag?: string, value?: string): string[] {
  const short = flag === '--profile' ? '-p' : flag;
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (flag === undefined || !(word === flag || word === short || word.startsWith(`${flag}=`)))
      kept.push(word);
    else if (value !== undefined && !word.includes('=')) at++;
  }
  return kept;
}

/** A failure that stands for itself. */
export const UNTYPED = new Typed();
