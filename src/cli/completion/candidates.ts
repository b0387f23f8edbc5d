import { HELP_TOPICS } from '../help/topics.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from '../manifest.ts';

/**
 * What may stand in place of the last word of a command line (`words`, without `svc`): the next word of a command, a
 * flag, a value from a fixed set, a profile's name. Nothing where only the shell can know, such as file names.
 */
export function candidates(
  words: readonly string[],
  manifest: Manifest,
  profiles: () => readonly string[],
): string[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // What follows `--` belongs to another program.
  if (before.includes('--')) return [];
  return possible(before, typed, manifest, profiles).filter((word) => word.startsWith(typed));
}

function possible(
  before: readonly string[],
  typed: string,
  { commands }: Manifest,
  profiles: () => readonly string[],
): readonly string[] {
  const [first] = before;
  const names = commands.flatMap(({ id, aliases }) => [id, ...aliases]).map((id) => id.split(':'));
  if (first === 'help' && before.length === 1)
    return [...HELP_TOPICS.map(({ name }) => name), ...names.map(([name]) => name!)].filter(once);
  const { command, depth } = commandOf(before, commands);
  if (command) {
    const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
    const asked = flagOf(before.at(-1), flags);
    if (asked?.type === 'option') return asked.name === 'profile' ? profiles() : (asked.options ?? []);
    if (typed.startsWith('-')) return [...flags.flatMap(spellings), '--help'];
    const given = before.slice(depth).filter((word) => !word.startsWith('-')).length;
    const arg = Object.values(command.args)[given];
    const values =
      command.id.startsWith('profiles:') && command.id !== 'profiles:add' && given === 0
        ? profiles()
        : (arg?.options ?? []);
    if (before.length > depth) return values;
    // A command may have others below it: `serve` and `serve exec`.
    return [...values, ...next(names, before)];
  }
  const following = next(names, before);
  return before.length === 0 ? [...following, 'help', '--version', '--help'] : following;
}

function commandOf(words: readonly string[], commands: readonly ManifestCommand[]) {
  const end = words.findIndex((word) => word.startsWith('-'));
  for (let depth = end === -1 ? words.length : end; depth > 0; depth--) {
    const id = words.slice(0, depth).join(':');
    const command = commands.find((known) => known.id === id || known.aliases.includes(id));
    if (command) return { command, depth };
  }
  return { command: undefined, depth: 0 };
}

function flagOf(word: string | undefined, flags: readonly ManifestFlag[]): ManifestFlag | undefined {
  return flags.find(({ name, char }) => word === `--${name}` || (char !== undefined && word === `-${char}`));
}

function spellings({ name, allowNo }: ManifestFlag): string[] {
  return allowNo ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

/** The words that lead on from those typed. */
function next(names: readonly (readonly string[])[], before: readonly string[]): string[] {
  return names
    .filter((name) => name.length > before.length && before.every((word, i) => name[i] === word))
    .map((name) => name[before.length]!)
    .filter(once);
}

function once(word: string, i: number, all: readonly string[]): boolean {
  return all.indexOf(word) === i;
}
