import type { Command, Config } from '@oclif/core';
import { distance } from 'fastest-levenshtein';
import { SvcError } from './errors.ts';

/**
 * Finds the command that the first words name: the longest match wins, so `webhooks listen` is not `webhooks`.
 * Throws usage with the nearest command there is.
 */
export function findCommand(
  config: Config,
  argv: readonly string[],
): { command: Command.Loadable; rest: string[] } {
  const words = leadingWords(argv);
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':');
    const command = config.commands.find((known) => known.id === id || known.aliases.includes(id));
    if (command) return { command, rest: argv.slice(count) };
  }
  const typed = words.join(' ');
  const topic = config.topics.some(({ name }) => name === words[0]) ? words[0]! : undefined;
  const nearest = nearestCommand(config, words);
  throw new SvcError('usage', typed === '' ? 'no command was given' : `\`svc ${typed}\` is no command`, {
    hint: nearest ? `did you mean \`svc ${nearest}\`?` : `see \`svc ${topic ? `${topic} ` : ''}--help\``,
  });
}

/** The words before the first flag: the only ones that can name a command. */
export function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  return argv.slice(0, end === -1 ? argv.length : end).filter((word) => /^[\w-]+$/.test(word));
}

function nearestCommand(config: Config, words: readonly string[]): string | undefined {
  const names = config.commands
    .flatMap(({ id, aliases, hidden }) => (hidden ? [] : [id, ...aliases]))
    .map((id) => id.replaceAll(':', ' '));
  const scored = names.map((name) => {
    const typed = words.slice(0, name.split(' ').length).join(' ');
    return { name, off: distance(typed, name) };
  });
  const best = scored.sort((a, b) => a.off - b.off)[0];
  return best && best.off <= Math.max(2, best.name.length / 3) ? best.name : undefined;
}
