import { ENDPOINTS } from '../../contract/endpoints.ts';
import { EVENT_KINDS } from '../../contract/event-kind-names.ts';
import {
  CHANNELS,
  DELIVERY_STATES,
  MESSAGE_OUTCOMES,
  NOTIFICATION_OUTCOMES,
  NOTIFICATION_STATES,
  PRIORITIES,
} from '../../contract/schemas.ts';
import type { Manifest, ManifestArg, ManifestCommand, ManifestFlag } from '../command/manifest.ts';
import { HELP_TOPICS } from '../help/topics.ts';
import { ID_KINDS, type IdKind } from './id-kinds.ts';

/** A completion of the last word. Shells that support it show the description. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Where completions come from that the manifest does not have. */
export interface Sources {
  readonly profiles: () => readonly string[];
  /** The identifiers of the service that the words before select. */
  readonly ids: (kind: IdKind, before: readonly string[]) => Promise<readonly Candidate[]>;
}

/** The completions where a file is expected: the shell completes its name. */
export const FILES: readonly Candidate[] = [{ word: '', description: 'files' }];

/**
 * The completions of the last word of a command line, given as its words without `svc`: the next word of a command, a
 * flag, a value from a fixed set (after `--flag` or as `--flag=value`), a profile name, or an identifier. FILES where a file
 * is expected, and after `--`, where another program may follow.
 */
export async function candidates(
  line: readonly string[],
  manifest: Manifest,
  sources: Sources,
): Promise<readonly Candidate[]> {
  const words = dropEqualsSigns(line);
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // Words after `--` belong to another program.
  if (before.includes('--')) return FILES;
  const found = await candidatesAfter(before, typed, manifest, sources);
  return found === FILES ? FILES : found.filter(({ word }) => word.startsWith(typed));
}

/** Removes the `=` of `--flag=value`, which bash splits into three words, so that it reads like `--flag value`. */
function dropEqualsSigns(line: readonly string[]): string[] {
  const isSign = (i: number) => line[i] === '=' && line[i - 1]?.startsWith('--');
  const words = line.filter((_, i) => !isSign(i));
  return isSign(line.length - 1) ? [...words, ''] : words;
}

async function candidatesAfter(
  before: readonly string[],
  typed: string,
  manifest: Manifest,
  sources: Sources,
): Promise<readonly Candidate[]> {
  const { commands } = manifest;
  if (before[0] === 'help') {
    const topics = HELP_TOPICS.map(({ name, summary }) => ({ word: name, description: summary }));
    return [...(before.length === 1 ? topics : []), ...nextWords(manifest, before.slice(1))];
  }
  const { command, depth } = commandOf(before, commands);
  if (command) {
    const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
    const valuesOf = async (taker: ManifestFlag | ManifestArg): Promise<readonly Candidate[]> => {
      const { name, options } = taker;
      if (takesFile(taker)) return FILES;
      if (name === 'profile') return withoutDescription(sources.profiles());
      const kind = ID_KINDS[`${command.id} ${name}`];
      if (kind) return sources.ids(kind, before);
      return withoutDescription(options ?? SUGGESTED[`${command.id} ${name}`] ?? []);
    };
    const afterFlag = async (flag: ManifestFlag, value: string, prefix: string) => {
      const values = await valuesOf(flag);
      if (values === FILES) return FILES;
      return inList(flag, value, values).map(({ word, description }) => ({
        word: prefix + word,
        description,
      }));
    };
    const previousFlag = flagOf(before.at(-1), flags);
    if (previousFlag?.type === 'option') return afterFlag(previousFlag, typed, '');
    const [joined] = typed.split('=', 1);
    if (joined !== typed) {
      const flag = flagOf(joined, flags);
      return flag?.type === 'option' ? afterFlag(flag, typed.slice(joined!.length + 1), `${joined}=`) : [];
    }
    if (typed.startsWith('-')) return [...flags.flatMap(spellings), HELP];
    const isValue = (i: number) => flagOf(before[i - 1], flags)?.type === 'option';
    const given = before.filter((word, i) => i >= depth && !word.startsWith('-') && !isValue(i)).length;
    if (command.id === 'api') {
      const paths = apiPaths(given === 0 ? 'GET' : before[depth], typed);
      if (given === 1 || typed.startsWith('/')) return paths;
    }
    const args = Object.values(command.args);
    const arg = command.strict ? args[given] : (args[given] ?? args.at(-1));
    const values =
      command.id.startsWith('profiles:') && command.id !== 'profiles:add' && given === 0
        ? withoutDescription(sources.profiles())
        : arg
          ? await valuesOf(arg)
          : [];
    if (before.length > depth || values === FILES) return values;
    // A command may have subcommands: `serve` and `serve exec`.
    return [...values, ...nextWords(manifest, before)];
  }
  return before.length === 0
    ? [...nextWords(manifest, before), ...WITHOUT_COMMAND]
    : nextWords(manifest, before);
}

/** Returns whether an argument or a flag takes the path of a file or a folder, by its name or the name of its value. */
function takesFile(taker: ManifestFlag | ManifestArg): boolean {
  return 'helpValue' in taker && taker.helpValue !== undefined
    ? /\b(FILE|MAPPING)\b/.test(taker.helpValue)
    : /\b(file|folder|directory|path)\b/.test(taker.name);
}

/** The values after a flag that takes several after commas: those that were not typed yet. */
function inList(
  { delimiter }: ManifestFlag,
  typed: string,
  values: readonly Candidate[],
): readonly Candidate[] {
  if (delimiter === undefined || !typed.includes(delimiter)) return values;
  const given = typed.split(delimiter).slice(0, -1);
  return values
    .filter(({ word }) => !given.includes(word))
    .map(({ word, description }) => ({ word: [...given, word].join(delimiter), description }));
}

/** Suggested values of flags that accept any value, because the service may know more. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = {
  'api method': ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  'messages:outcome type': MESSAGE_OUTCOMES,
  'notifications:list status': NOTIFICATION_STATES,
  'notifications:outcome type': NOTIFICATION_OUTCOMES,
  'notifications:trigger channel': CHANNELS,
  'notifications:trigger priority': PRIORITIES,
  'webhooks:create event': EVENT_KINDS,
  'webhooks:deliveries status': DELIVERY_STATES,
  'webhooks:listen event': EVENT_KINDS,
  'webhooks:send kind': EVENT_KINDS,
  'webhooks:update event': EVENT_KINDS,
};

/** Paths of the operations with this method, for `svc api METHOD PATH` and `svc api PATH`. */
function apiPaths(method: string | undefined, typed: string): Candidate[] {
  return Object.values(ENDPOINTS)
    .filter((endpoint) => endpoint.method === method?.toUpperCase())
    .map(({ path, summary }) => ({ word: fillIn(path, typed), description: summary }));
}

/** Replaces the parameters of a path that are typed already: `/v1/webhooks/wh_1/rot` is `/v1/webhooks/{id}/rotate`. */
function fillIn(path: string, typed: string): string {
  const words = typed.split('/');
  return path
    .split('/')
    .map((part, i) => (part.startsWith('{') && i < words.length - 1 && words[i] ? words[i] : part))
    .join('/');
}

const HELP: Candidate = { word: '--help', description: 'show help' };
const WITHOUT_COMMAND: readonly Candidate[] = [
  { word: 'help', description: 'explain a command or a topic' },
  { word: '--version', description: 'print the version' },
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
  const flag = { word: `--${name}`, description: summary };
  return allowNo ? [flag, { word: `--no-${name}`, description: '' }] : [flag];
}

/** The next words of commands and topics that start with `before`, with their summaries. */
function nextWords({ commands, topics }: Manifest, before: readonly string[]): Candidate[] {
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
  return [...found].map(([word, description]) => ({ word, description }));
}

function withoutDescription(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, description: '' }));
}
