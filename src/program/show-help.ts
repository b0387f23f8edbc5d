import type { Program } from '../cli/command/command.ts';
import { type Manifest, readManifest } from '../cli/command/manifest.ts';
import { definitions, reflow, wrapParagraph } from '../cli/help/layout.ts';
import { commandPage, rootPage, topicPage } from '../cli/help/pages.ts';
import { HELP_TOPICS, type HelpSources, type HelpTopic, helpSources } from '../cli/help/topics.ts';
import { Output } from '../cli/terminal/output.ts';
import { bold, render, type Text } from '../cli/terminal/text.ts';
import type { World } from '../cli/terminal/world.ts';
import { ALIASES } from './commands.gen.ts';
import { findCommand, leadingWords } from './find-command.ts';

/** Columns of a page: the terminal's, but lines longer than this are hard to read. */
const WIDEST = 100;
const IN_A_PIPE = 80;

/**
 * Shows the page that `argv` asks for: of a command, of a topic of commands, of `svc help TOPIC`, or of the program.
 * Under --json what the page is made from. Throws usage where there is no such page.
 */
export function showHelp(argv: readonly string[], { world, root }: Pick<Program, 'world' | 'root'>): void {
  const out = new Output(world, { json: argv.includes('--json'), quiet: false });
  const width = Math.min(world.stdout.columns ?? IN_A_PIPE, WIDEST);
  const manifest = readManifest(root);
  const asked = argv[0] === 'help';
  const words = leadingWords(asked ? argv.slice(1) : argv);
  const { value, page } = pageFor(words, asked, manifest, width, world);
  out.result(value, () => page.map((line, i): Text => (i === 0 ? line : ['\n', line])));
}

/** A page, and the data it is made from. */
interface Page {
  readonly value: unknown;
  readonly page: readonly Text[];
}

function pageFor(
  words: readonly string[],
  asked: boolean,
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
  const topic = asked && words.length === 1 && HELP_TOPICS.find(({ name }) => name === first);
  if (topic) {
    const sources = helpSources(manifest, world);
    return { value: topicValue(topic, sources), page: helpTopicPage(topic, sources, width) };
  }
  const ids = commands.map(({ id }) => id);
  if (words.length === 1 && Object.hasOwn(topics, first) && !ids.includes(first)) {
    const own = commands.filter(({ id }) => id.startsWith(`${first}:`));
    return { value: { commands: own }, page: topicPage(first, manifest, width) };
  }
  const { id } = findCommand({ ids, aliases: ALIASES }, words);
  const command = commands.find((known) => known.id === id)!;
  return { value: command, page: commandPage(command, manifest, width) };
}

/** A help topic as data. */
export function topicValue(
  { parts }: HelpTopic,
  sources: HelpSources,
): Record<string, Record<string, string>> {
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
