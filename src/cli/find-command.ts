import { nearest } from '../kit/nearest.ts';
import type { Program, SvcCommand } from './command.ts';
import { SvcError } from './errors.ts';

export type LoadableCommand = new (
  argv: readonly string[],
  program: Program & { readonly id: string },
) => SvcCommand;

/** The names that can be typed: ids of commands, and aliases with the ids they stand for. */
export interface CommandNames {
  readonly ids: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * Finds the command that the first words name: the longest match wins, so `webhooks listen` is not `webhooks`.
 * Throws usage with the nearest command there is.
 */
export function findCommand(
  { ids, aliases }: CommandNames,
  argv: readonly string[],
): { id: string; rest: string[] } {
  const words = leadingWords(argv);
  for (let count = words.length; count > 0; count--) {
    const typed = words.slice(0, count).join(':');
    const id = Object.hasOwn(aliases, typed) ? aliases[typed]! : typed;
    if (ids.includes(id)) return { id, rest: argv.slice(count) };
  }
  const [first = ''] = argv;
  if (words.length === 0 && first.startsWith('-')) {
    const meant = nearestName(first, ['--version', '--help']);
    throw new SvcError('usage', `${first} comes before any command`, {
      hint: meant
        ? `did you mean svc ${meant}?`
        : 'write flags behind the command, as in `svc limits --profile local`; `svc --help` lists the commands',
    });
  }
  const typed = words.length > 0 ? words.join(' ') : first;
  const topic = ids.some((id) => id.startsWith(`${words[0]}:`)) ? `${words[0]} ` : '';
  const names = [...ids, ...Object.keys(aliases)].map((id) => id.replaceAll(':', ' '));
  const close = sameCommand(typed.replaceAll(':', ' '), names) ?? nearestName(typed, names);
  throw new SvcError('usage', `\`svc ${typed}\` is no command`, {
    hint: close ? `did you mean \`svc ${close}\`?` : `see \`svc ${topic}--help\``,
  });
}

/** The words before the first flag: the only ones that can name a command. */
export function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  return argv.slice(0, end === -1 ? argv.length : end).filter((word) => /^[\w-]+$/.test(word));
}

/** What other tools call a command, and what it is here. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  add: ['create'],
  create: ['add'],
  delete: ['remove'],
  get: ['show'],
  ls: ['list'],
  new: ['create', 'add'],
  remove: ['delete'],
  rm: ['remove', 'delete'],
  show: ['get'],
};

/** The command in another tool's words, or without its topic. */
function sameCommand(typed: string, names: readonly string[]): string | undefined {
  const [topic = '', verb = ''] = typed.split(' ');
  const meant = [verb, ...(SYNONYMS[verb] ?? [])].map((word) => `${topic} ${word}`.trimEnd());
  return meant.find((name) => names.includes(name)) ?? names.find((name) => name.endsWith(` ${typed}`));
}

/** The name that was probably meant: the one begun, else the nearest by edits, not counting words typed after it. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length >= 3 ? names.filter((name) => name.startsWith(typed)) : [];
  if (begun.length === 1) return begun[0];
  const words = typed.split(' ');
  return nearest(
    names,
    (name) => [words.slice(0, name.split(' ').length).join(' '), name],
    (name) => Math.max(2, name.length / 3),
  );
}
