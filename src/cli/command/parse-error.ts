import { commandLine } from '../../kit/shell.ts';
import { SvcError } from '../errors/svc-error.ts';
import { nearestName } from './suggest.ts';

interface ParseError extends Error {
  readonly oclif?: unknown;
  /** Of a flag that there is none of. */
  readonly flags?: readonly string[];
  /** Of arguments: those that are missing have descriptions, those too many are text. */
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
}

/** What matters here of a flag's definition. */
interface Flag {
  readonly hidden?: boolean | undefined;
  readonly allowNo?: boolean | undefined;
}

/** Every flag that help shows, as it can be typed. */
function spellingsOf(flags: Readonly<Record<string, Flag>>): string[] {
  const shown = Object.entries(flags).filter(([, { hidden }]) => !hidden);
  return [...shown.flatMap(([name, { allowNo }]) => (allowNo ? [name, `no-${name}`] : [name])), 'help'];
}

/** Turns a mistake in the command line, as oclif's parser throws it, into a failure with the words of svc. */
export function toParseError(error: unknown, id: string, flags: Readonly<Record<string, Flag>>): unknown {
  const mistake = error as ParseError;
  if (!(error instanceof Error) || mistake.oclif === undefined) return error;
  const command = `svc ${id.replaceAll(':', ' ')}`;
  // What follows an equals sign may be a secret.
  const unknown = mistake.flags?.[0]?.replace(/=.*/s, '');
  if (unknown !== undefined && mistake.constructor.name.startsWith('NonExistentFlag')) {
    const meant = unknown.startsWith('--') ? nearestName(unknown.slice(2), spellingsOf(flags)) : undefined;
    return new SvcError('usage', `\`${command}\` has no flag ${unknown}`, {
      hint: meant ? `did you mean --${meant}?` : `see \`${command} --help\``,
      cause: error,
    });
  }
  const [missing] = mistake.args ?? [];
  if (typeof missing === 'object') {
    const name = missing.name.toUpperCase();
    return new SvcError(
      'usage',
      `${name} is missing${missing.description ? `: ${missing.description}` : ''}`,
      {
        hint: `see \`${command} --help\``,
        cause: error,
      },
    );
  }
  const words = (mistake.args ?? []) as readonly string[];
  const meant = words.length > 0 ? placeOf(words, id, Object.keys(flags)) : undefined;
  const message = inWords(error.message);
  const [, without] = NEEDS.exec(message) ?? [];
  if (without !== undefined)
    return new SvcError('usage', message, { hint: (invocation) => invocation.again(without), cause: error });
  return new SvcError('usage', message, {
    hint: meant ? commandLine(['svc', ...id.split(':'), ...meant]) : `see \`${command} --help\``,
    cause: error,
  });
}

/** A flag that says nothing without another one, which takes no value. */
const NEEDS = /^--\S+ needs (--\S+)$/;

/** Where words that no argument takes were probably meant to stand. */
function placeOf(words: readonly string[], id: string, flags: readonly string[]): string[] | undefined {
  if (id === 'serve:exec') return ['--', ...words];
  return flags.includes('hash-id') && words.length === 1 ? ['--hash-id', ...words] : undefined;
}

/** oclif's message on one line, without colours and without its own advice. */
function inWords(message: string): string {
  const text = message
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')
    .replace(/^The following errors? occurred:/, '')
    .replace(/\s*See more help with --help\s*/i, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('; ');
  const plain = text
    .replace(/^Missing required flag ([\w-]+).*/, '--$1 is missing')
    .replace(/^Parsing (--[\w-]+)[;\s]*/, '$1: ')
    .replace(/^All of the following must be provided when using (--\S+): (--\S+)$/, '$1 needs $2')
    .replace(/^Flag (--\S+) expects a value$/, '$1 needs a value')
    .replace(/^Expected (--[^=]+)=(.*) to be one of: (.*)$/s, '$1 must be one of $3, not $2')
    .replace(
      /Expected an integer greater than or equal to (\S+) but received: /,
      'a number of at least $1 is needed, not ',
    )
    .replace(
      /Expected an integer less than or equal to (\S+) but received: /,
      'a number of at most $1 is needed, not ',
    )
    .replace(/Expected an integer but received: /, 'a whole number is needed, not ');
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}
