import { nearestName } from '../cli/command/suggest.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import { commandLine } from '../kit/shell.ts';

/** The names of commands: ids, and aliases with their ids. */
export interface CommandNames {
  readonly ids: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

/** Returns the aliases of commands, with their ids. */
export function aliasesOf(
  commands: readonly { readonly id: string; readonly aliases: readonly string[] }[],
): Record<string, string> {
  return Object.fromEntries(commands.flatMap(({ id, aliases }) => aliases.map((alias) => [alias, id])));
}

/**
 * Finds the command that the first words name; the longest match wins. Throws usage with the nearest command.
 */
export function findCommand(
  { ids, aliases }: CommandNames,
  argv: readonly string[],
): { id: string; rest: string[] } {
  const words = leadingWords(argv);
  const named = longestName({ ids, aliases }, words);
  if (named) return { id: named.id, rest: argv.slice(named.count) };
  refuseOtherOrder({ ids, aliases }, argv);
  const [first = ''] = argv;
  if (words.length === 0 && first.startsWith('-')) {
    const meant = nearestName(first, ['--version', '--help']);
    throw new SvcError('usage', `${first} must follow a command`, {
      hint: meant
        ? `did you mean svc ${meant}?`
        : 'put flags after the command, as in `svc limits --profile local`; `svc --help` lists the commands',
    });
  }
  const typed = words.length > 0 ? words.join(' ') : first;
  const names = [...ids, ...Object.keys(aliases)].map((id) => id.replaceAll(':', ' '));
  const [topic = ''] = words;
  const close = meantName(typed.replaceAll(':', ' ').split(' '), names);
  const page = topicsOf(names).includes(topic) ? `${topic} ` : '';
  throw new SvcError('usage', `unknown command: svc ${typed}`, {
    hint: close ? `did you mean \`svc ${close}\`?` : `see \`svc ${page}--help\``,
  });
}

/** The command that the most of the first words name, and how many they are. */
function longestName(
  { ids, aliases }: CommandNames,
  words: readonly string[],
): { id: string; count: number } | undefined {
  for (let count = words.length; count > 0; count--) {
    const typed = words.slice(0, count).join(':');
    const id = Object.hasOwn(aliases, typed) ? aliases[typed]! : typed;
    if (ids.includes(id)) return { id, count };
  }
  return undefined;
}

/** Throws usage where other words, such as a file, stand before or between those of a command. */
function refuseOtherOrder(names: CommandNames, argv: readonly string[]): void {
  const before = beforeFlags(argv);
  const words = before.filter(isName);
  const named = longestName(names, words);
  if (!named) return;
  const own = words.slice(0, named.count);
  const left = [...own];
  const rest = argv.filter((word) => word !== left[0] || left.shift() === undefined);
  throw new SvcError(
    'usage',
    `the words of a command come first, and ${before.find((word) => !isName(word))} is not one of them`,
    { hint: commandLine(['svc', ...own, ...rest]) },
  );
}

/** Returns whether `argv` is only a topic that is not a command itself. */
export function isTopicAlone({ ids }: CommandNames, argv: readonly string[]): boolean {
  const [topic = '', ...rest] = argv.filter((word) => word !== '--json');
  return rest.length === 0 && !ids.includes(topic) && ids.some((id) => id.startsWith(`${topic}:`));
}

function topicsOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0]!] : [])))];
}

/** Returns the first words that can name a command: those before the first flag, file or other text. */
export function leadingWords(argv: readonly string[]): string[] {
  const words = beforeFlags(argv);
  const end = words.findIndex((word) => !isName(word));
  return words.slice(0, end === -1 ? words.length : end);
}

function beforeFlags(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  return argv.slice(0, end === -1 ? argv.length : end);
}

const isName = (word: string) => /^[\w-]+$/.test(word);

/** Verbs of other tools, and the verbs that svc uses for them. */
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

/** Returns the command or topic that was probably meant; correct words are kept, others corrected one at a time. */
function meantName(words: readonly string[], names: readonly string[]): string | undefined {
  const [first = '', second] = words;
  const topics = topicsOf(names);
  const verbsOf = (topic: string) =>
    names.filter((name) => name.startsWith(`${topic} `)).map((name) => name.slice(topic.length + 1));
  const inTopic = (topic: string) => {
    if (second === undefined) return undefined;
    const verbs = verbsOf(topic);
    const same = [second, ...(SYNONYMS[second] ?? [])].find((word) => verbs.includes(word));
    const verb = same ?? nearestName(second, verbs);
    return verb && `${topic} ${verb}`;
  };
  if (topics.includes(first)) return inTopic(first);
  const alone = [...names.filter((name) => !name.includes(' ')), ...topics];
  const near = nearestName(first, alone);
  const full = near !== undefined && topics.includes(near) ? inTopic(near) : undefined;
  return full ?? withoutTopic(first, names) ?? near;
}

/** Finds a command whose topic was left out: the only match, or the one of `events`. */
function withoutTopic(verb: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.endsWith(` ${verb}`));
  return found.length === 1 ? found[0] : found.find((name) => name.startsWith('events '));
}
