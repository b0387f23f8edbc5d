import type { Manifest, ManifestCommand, ManifestFlag } from '../command/manifest.ts';
import { EXIT_MEANINGS } from '../errors/exit-codes.ts';
import { bold, cyan, dim, type Text } from '../terminal/text.ts';
import { definitions, reflow, section, shellLines } from './layout.ts';
import { argument, commandName, flag, valueName } from './terms.ts';
import { HELP_TOPICS } from './topics.ts';

/** The help of a command, with its subcommands. */
export function commandPage(command: ManifestCommand, { commands }: Manifest, width: number): Text[] {
  const inner = width - 2;
  const args = Object.values(command.args);
  const flags = Object.values(command.flags).filter((flag) => !flag.hidden);
  const own = flags.filter((flag) => flag.helpGroup !== 'GLOBAL');
  return [
    bold(command.summary ?? ''),
    ...section('USAGE', [usage(command, own)]),
    ...section('DESCRIPTION', reflow(command.description ?? '', inner)),
    ...section('ARGUMENTS', definitions(args.map(argument), inner)),
    ...section('FLAGS', definitions(own.map(flag), inner)),
    ...section('GLOBAL FLAGS', globalFlags(flags, inner)),
    ...section(
      'EXAMPLES',
      examplesOf(command).flatMap((line) => withPrompt(line, inner)),
    ),
    ...section('COMMANDS', definitions(subcommands(command.id, commands), inner)),
    ...section(
      'EXIT CODES',
      command.exitCodes.length === 0
        ? []
        : reflow(`${exitCodes(command)}: see \`svc help exit-codes\``, inner),
    ),
    ...section('ALIASES', command.aliases.map(commandName)),
    ...section('PLUGIN', command.plugin === undefined ? [] : [command.plugin]),
  ];
}

/** Lists the exit codes of a command with short meanings. */
export function exitCodes(command: ManifestCommand): string {
  return command.exitCodes.map((code) => `${code} ${EXIT_MEANINGS[code].split(':')[0]}`).join(', ');
}

/** The help of a topic: its commands. */
export function topicPage(topic: string, { commands, topics }: Manifest, width: number): Text[] {
  return [
    bold(topics[topic]?.description ?? ''),
    ...section('USAGE', [`svc ${topic} COMMAND`]),
    ...section('COMMANDS', definitions(subcommands(topic, commands), width - 2)),
    ...section('MORE', [`svc ${topic} COMMAND --help`]),
  ];
}

/** The help of `svc`: commands, topics and first steps. */
export function rootPage({ version, description, commands, topics }: Manifest, width: number): Text[] {
  const inner = width - 2;
  const alone = commands
    .flatMap(({ id, aliases, summary = '' }) => [id, ...aliases].map((name) => ({ name, summary })))
    .filter(({ name }) => !name.includes(':'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const topicRows = Object.entries(topics).flatMap(([name, topic]): [Text, string][] => {
    const names = commands.filter(({ id }) => id.startsWith(`${name}:`)).map(({ id }) => id.split(':')[1]);
    return names.length === 0 ? [] : [[cyan(name), `${topic.description} (${names.join(', ')})`]];
  });
  return [
    [bold('svc'), ` ${version}`],
    ...reflow(description, width),
    ...section('USAGE', ['svc COMMAND [FLAGS]']),
    ...section(
      'COMMANDS',
      definitions(
        alone.map(({ name, summary }) => [cyan(name), summary]),
        inner,
      ),
    ),
    ...section('TOPICS', definitions(topicRows, inner)),
    ...section(
      'HELP',
      definitions(
        [
          [cyan('svc COMMAND --help'), 'flags, examples and exit codes of a command'],
          ...HELP_TOPICS.map(({ name, summary }): [Text, string] => [cyan(`svc help ${name}`), summary]),
        ],
        inner,
      ),
    ),
    ...section(
      'START',
      ['svc demo', 'svc profiles add --help', 'svc events import --help'].flatMap((line) =>
        withPrompt(line, inner),
      ),
    ),
  ];
}

/** Returns the examples of a command as typed lines. */
export function examplesOf({ id, examples = [] }: ManifestCommand): string[] {
  return examples.flatMap((example) => expandTemplate(example, id).split('\n'));
}

/** A shell command after a prompt, wrapped to `width`. */
function withPrompt(line: string, width: number): Text[] {
  return shellLines(line, width - 2).map((part, i) => [i === 0 ? dim('$ ') : '  ', part]);
}

/** Expands the placeholders of oclif's templates. */
function expandTemplate(text: string, id: string): string {
  return text.replaceAll('<%= config.bin %>', 'svc').replaceAll('<%= command.id %>', id.replaceAll(':', ' '));
}

export function usage(command: ManifestCommand, own: readonly ManifestFlag[]): string {
  if (command.usage) return `svc ${expandTemplate(command.usage, command.id)}`;
  const args = Object.values(command.args).map(({ name, required }) => {
    const shown = `${name.toUpperCase()}${command.strict ? '' : '…'}`;
    return required ? shown : `[${shown}]`;
  });
  const needed = own.filter(({ required }) => required).map((f) => `--${f.name} ${valueName(f)}`);
  return [commandName(command.id), ...args, ...needed, '[FLAGS]'].join(' ');
}

/** Names the flags of every command, which a command of a plugin may lack. */
function globalFlags(flags: readonly ManifestFlag[], width: number): string[] {
  const names = flags
    .filter(({ helpGroup }) => helpGroup === 'GLOBAL')
    .map(({ char, name }) => (char ? `-${char}/--${name}` : `--${name}`));
  return names.length === 0 ? [] : reflow(`${names.join(', ')}: see \`svc help flags\``, width);
}

/** Lists the commands of a topic, or the subcommands of a command, with their summaries. */
function subcommands(topic: string, commands: readonly ManifestCommand[]): [Text, string][] {
  return commands.filter(({ id }) => id.startsWith(`${topic}:`)).map(summaryOf);
}

function summaryOf({ id, summary = '', aliases }: ManifestCommand): [Text, string] {
  const also =
    aliases.length === 0 ? '' : ` (also \`${aliases.map((alias) => commandName(alias)).join('`, `')}\`)`;
  return [cyan(id.replaceAll(':', ' ')), summary + also];
}
