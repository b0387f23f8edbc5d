import {
  CHANNELS,
  EVENT_KINDS,
  MESSAGE_OUTCOMES,
  NOTIFICATION_OUTCOMES,
  PRIORITIES,
} from '../../contract/schemas.ts';
import type { Manifest, ManifestArg, ManifestCommand, ManifestFlag } from '../command/manifest.ts';
import { HELP_TOPICS } from '../help/topics.ts';

/** A completion of the last word, with a meaning for shells that can show it. */
export interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

/**
 * Completes the last word of a command line: commands, flags, values from a fixed set and profile names. Returns an
 * empty list where the shell should complete file names.
 * @param line the words of the command line, without `svc`
 */
export function candidates(
  line: readonly string[],
  manifest: Manifest,
  profiles: () => readonly string[],
): Candidate[] {
  const words = withoutEqualsSign(line);
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // Words after `--` belong to another program.
  if (before.includes('--')) return [];
  return completions(before, typed, manifest, profiles).filter(({ word }) => word.startsWith(typed));
}

/** Drops the equals sign of `--flag=value`, which bash passes as three words, and completes only the third. */
function withoutEqualsSign(line: readonly string[]): string[] {
  const sign = (i: number) => line[i] === '=' && line[i - 1]?.startsWith('--');
  const words = line.filter((_, i) => !sign(i));
  return sign(line.length - 1) ? [...words, ''] : words;
}

function completions(
  before: readonly string[],
  typed: string,
  manifest: Manifest,
  profiles: () => readonly string[],
): Candidate[] {
  const { commands } = manifest;
  if (before[0] === 'help') {
    const topics = HELP_TOPICS.map(({ name, summary }) => ({ word: name, meaning: summary }));
    return [...(before.length === 1 ? topics : []), ...next(manifest, before.slice(1))];
  }
  const { command, depth } = commandOf(before, commands);
  if (command) {
    const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
    const valuesOf = ({ name, options }: ManifestFlag | ManifestArg) =>
      name === 'profile' ? profiles() : (options ?? KNOWN[`${command.id} ${name}`] ?? []);
    const asked = flagOf(before.at(-1), flags);
    if (asked?.type === 'option') return plain(valuesOf(asked));
    const [joined] = typed.split('=', 1);
    if (joined !== typed) {
      const flag = flagOf(joined, flags);
      return plain(flag?.type === 'option' ? valuesOf(flag).map((value) => `${joined}=${value}`) : []);
    }
    if (typed.startsWith('-')) return [...flags.flatMap(spellings), HELP];
    const isValue = (i: number) => flagOf(before[i - 1], flags)?.type === 'option';
    const given = before.filter((word, i) => i >= depth && !word.startsWith('-') && !isValue(i)).length;
    const arg = Object.values(command.args)[given];
    const values =
      command.id.startsWith('profiles:') && command.id !== 'profiles:add' && given === 0
        ? profiles()
        : arg
          ? valuesOf(arg)
          : [];
    if (before.length > depth) return plain(values);
    // A command may have others below it: `serve` and `serve exec`.
    return [...plain(values), ...next(manifest, before)];
  }
  return before.length === 0 ? [...next(manifest, before), ...WITHOUT_COMMAND] : next(manifest, before);
}

/** Known values of flags and arguments that accept others too. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'api method': ['GET', 'POST', 'PATCH', 'DELETE'],
  'messages:outcome type': MESSAGE_OUTCOMES,
  'notifications:outcome type': NOTIFICATION_OUTCOMES,
  'notifications:trigger channel': CHANNELS,
  'notifications:trigger priority': PRIORITIES,
  'webhooks:create event': EVENT_KINDS,
  'webhooks:listen event': EVENT_KINDS,
  'webhooks:send kind': EVENT_KINDS,
  'webhooks:update event': EVENT_KINDS,
};

const HELP: Candidate = { word: '--help', meaning: 'show help' };
const WITHOUT_COMMAND: readonly Candidate[] = [
  { word: 'help', meaning: 'explain a command or a topic' },
  { word: '--version', meaning: 'print the version' },
  HELP,
];

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

function spellings({ name, allowNo, summary = '' }: ManifestFlag): Candidate[] {
  const flag = { word: `--${name}`, meaning: summary };
  return allowNo ? [flag, { word: `--no-${name}`, meaning: '' }] : [flag];
}

/** Returns the next words of commands and topics, each with its summary or description. */
function next({ commands, topics }: Manifest, before: readonly string[]): Candidate[] {
  const found = new Map<string, string>();
  for (const { id, aliases, summary = '' } of commands) {
    for (const name of [id, ...aliases]) {
      const path = name.split(':');
      const word = path[before.length];
      if (word === undefined || !before.every((typed, i) => path[i] === typed)) continue;
      if (path.length === before.length + 1) found.set(word, summary);
      else if (!found.has(word)) found.set(word, topics[word]?.description ?? '');
    }
  }
  return [...found].map(([word, meaning]) => ({ word, meaning }));
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, meaning: '' }));
}
