import type { Manifest, ManifestCommand } from '../command/manifest.ts';
import { render, type Text } from '../terminal/text.ts';
import { examplesOf, exitCodes, usage } from './pages.ts';
import { argument, commandName, flag } from './terms.ts';
import { HELP_TOPICS, type HelpTopic, helpSources } from './topics.ts';

/** Generates pages of docs/ from the manifest and the help topics: file name to content. Used by `npm run generate`. */
export function generatedPages(manifest: Manifest): Record<string, string> {
  return {
    'commands.md': commandsPage(manifest),
    ...Object.fromEntries(HELP_TOPICS.map((topic) => [`${topic.name}.md`, topicMarkdown(topic, manifest)])),
  };
}

const MADE = '<!-- Made by `npm run generate`. -->';

function commandsPage({ commands }: Manifest): string {
  return page('Commands', [
    'What `svc COMMAND --help` shows, on one page. Flags that every command takes: [flags](flags.md). What the exit codes mean: [exit codes](exit-codes.md).',
    commands.map(({ id, summary }) => `- [\`${commandName(id)}\`](#${anchor(id)}): ${summary}`).join('\n'),
    ...commands.map(commandMarkdown),
  ]);
}

function commandMarkdown(command: ManifestCommand): string {
  const { id, summary = '', description = '', aliases } = command;
  const own = Object.values(command.flags).filter(
    ({ hidden, helpGroup }) => !hidden && helpGroup !== 'GLOBAL',
  );
  const args = Object.values(command.args);
  return blocks([
    `## ${commandName(id)}`,
    `${summary}.${aliases.length === 0 ? '' : ` Also \`${aliases.map(commandName).join('`, `')}\`.`}`,
    `    ${usage(command, own)}`,
    paragraphs(description),
    args.length === 0 ? '' : table(['Argument', ''], args.map(argument)),
    own.length === 0 ? '' : table(['Flag', ''], own.map(flag)),
    ['```sh', ...examplesOf(command), '```'].join('\n'),
    `Exit codes: ${exitCodes(command)}.`,
  ]);
}

function topicMarkdown(topic: HelpTopic, manifest: Manifest): string {
  const parts = topic.parts(helpSources(manifest, { env: { HOME: '~' } }));
  return page(capital(topic.name.replace('-', ' ')), [
    `${capital(topic.summary)}. The same as \`svc help ${topic.name}\`.`,
    capital(topic.about),
    ...parts.map(({ title, entries }) =>
      blocks([
        parts.length === 1 ? '' : `## ${capital(title)}`,
        entries.length === 0 ? '' : table(['Name', 'Meaning'], entries),
      ]),
    ),
  ]);
}

function page(title: string, content: readonly string[]): string {
  return `${blocks([`# ${title}`, MADE, ...content])}\n`;
}

function blocks(content: readonly string[]): string {
  return content.filter((block) => block !== '').join('\n\n');
}

/** Joins each paragraph of a description into one line; keeps indented paragraphs unchanged. */
function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n[ \t]*\n/)
    .map((paragraph) => (/^\s/.test(paragraph) ? paragraph : paragraph.replace(/\s*\n\s*/g, ' ')))
    .join('\n\n');
}

function table(head: readonly [string, string], rows: readonly (readonly [Text, string])[]): string {
  const cell = (text: string) => text.trim().replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return [
    `| ${head[0]} | ${head[1]} |`,
    '|---|---|',
    ...rows.map(
      ([term, meaning]) => `| \`${render(term, false).trim().replaceAll('|', '\\|')}\` | ${cell(meaning)} |`,
    ),
  ].join('\n');
}

function anchor(id: string): string {
  return commandName(id).replaceAll(' ', '-');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
