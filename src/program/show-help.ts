import type { Program } from '../cli/command/command.ts';
import type { Manifest } from '../cli/command/manifest.ts';
import { definitions, reflow, wrapParagraph } from '../cli/help/layout.ts';
import { commandPage, rootPage, topicPage } from '../cli/help/pages.ts';
import { HELP_TOPICS, type HelpSources, type HelpTopic, helpSources } from '../cli/help/topics.ts';
import { Output } from '../cli/terminal/output.ts';
import { bold, render, type Text } from '../cli/terminal/text.ts';
import type { World } from '../cli/terminal/world.ts';
import { ALIASES } from './commands.gen.ts';
import { aliasesOf, findCommand, leadingWords } from './find-command.ts';

/** Maximum line length of help, for legibility. */
const MAX_WIDTH = 100;
const PIPE_WIDTH = 80;

/**
 * Shows the help that `argv` requests: of a command, of a topic of commands, of `svc help TOPIC`, or of the program.
 * Under --json the data of that page. Throws usage for an unknown topic or command.
 */
export function showHelp(
  argv: readonly string[],
  { world, manifest: describe }: Pick<Program, 'world' | 'manifest'>,
): void {
  const out = new Output(world, { json: argv.includes('--json'), quiet: false });
  const width = Math.min(world.stdout.columns ?? PIPE_WIDTH, MAX_WIDTH);
  const manifest = describe();
  const isHelpCommand = argv[0] === 'help';
  const words = leadingWords(isHelpCommand ? argv.slice(1) : argv);
  const { value, page } = pageFor(words, isHelpCommand, manifest, width, world);
  out.result(value, () => page.map((line, i): Text => (i === 0 ? line : ['\n', line])));
}

/** A help page with its data. */
interface Page {
  readonly value: unknown;
  readonly page: readonly Text[];
}

function pageFor(
  words: readonly string[],
  isHelpCommand: boolean,
  manifest: Manifest,
  width: number,
  world: World,
): Page {
  const { commands, topics, version } = manifest;
  const [first] = words;
  if (first === undefined) {
    const listed = commands.map(({ id, summary }) => ({ id: id.replaceAll(':', ' '), summary }));
    return { value: { version, commands: listed }, page: rootPage(manifest, width) };
  }
  const topic = isHelpCommand && words.length === 1 && HELP_TOPICS.find(({ name }) => name === first);
  if (topic) {
    const sources = helpSources(manifest, world);
    return { value: topicValue(topic, sources), page: helpTopicPage(topic, sources, width) };
  }
  const ids = commands.map(({ id }) => id);
  if (words.length === 1 && Object.hasOwn(topics, first) && !ids.includes(first)) {
    const own = commands.filter(({ id }) => id.startsWith(`${first}:`));
    return { value: { commands: own }, page: topicPage(first, manifest, width) };
  }
  const { id } = findCommand({ ids, aliases: { ...aliasesOf(commands), ...ALIASES } }, words);
  const command = commands.find((known) => known.id === id)!;
  return { value: command, page: commandPage(command, manifest, width) };
}

/** Returns a help topic as data. */
function topicValue({ parts }: HelpTopic, sources: HelpSources): Record<string, Record<string, string>> {
  return Object.fromEntries(
    parts(sources).map(({ title, entries }) => [
      title,
      Object.fromEntries(entries.map(([term, meaning]) => [render(term, false).trim(), meaning])),
    ]),
  );
}

function helpTopicPage(topic: HelpTopic, sources: HelpSources, width: number): Text[] {
  return [
    ...reflow(topic.about, width),
    ...topic
      .parts(sources)
      .flatMap(({ title, entries }) => [
        '',
        ...wrapParagraph(title, width).map((line) => bold(line)),
        ...definitions(entries, width - 2).map((line): Text => ['  ', line]),
      ]),
  ];
}
