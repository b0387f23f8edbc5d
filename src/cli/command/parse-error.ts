import { SvcError } from '../errors/svc-error.ts';
import { nearestName } from './suggest.ts';

interface ParseError extends Error {
  readonly oclif?: unknown;
  /** The unknown flags. */
  readonly flags?: readonly string[];
  /** Missing arguments as objects, unexpected arguments as text. */
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
}

/** The part of a flag's definition that this module reads. */
interface Flag {
  readonly hidden?: boolean | undefined;
  readonly allowNo?: boolean | undefined;
}

/** Lists every visible flag name, with the `no-` form where there is one. */
function spellingsOf(flags: Readonly<Record<string, Flag>>): string[] {
  const visible = Object.entries(flags).filter(([, { hidden }]) => !hidden);
  return [...visible.flatMap(([name, { allowNo }]) => (allowNo ? [name, `no-${name}`] : [name])), 'help'];
}

/** The usage error of an empty identifier, such as of a variable of a script that is not set. */
export const emptyId = (id: string, description: string | undefined): SvcError =>
  new SvcError('usage', `ID is empty${description ? `: ${description}` : ''}`, {
    hint: `see \`svc ${id.replaceAll(':', ' ')} --help\``,
  });

/** Turns an error of oclif's parser into a usage error. Returns any other error unchanged. */
export function toParseError(error: unknown, id: string, flags: Readonly<Record<string, Flag>>): unknown {
  const parseError = error as ParseError;
  if (error instanceof SvcError) {
    // The `parse` of a flag has thrown it, and oclif has put its own words around the message.
    const [, flag, message] =
      /^Parsing (--\S+) \n\t(.*)\nSee more help with --help$/s.exec(error.message) ?? [];
    if (message !== undefined) error.message = message.startsWith('--') ? message : `${flag}: ${message}`;
    return error;
  }
  if (!(error instanceof Error) || parseError.oclif === undefined) return error;
  const command = `svc ${id.replaceAll(':', ' ')}`;
  // The value after an equals sign may be a secret.
  const unknown = parseError.flags?.[0]?.replace(/=.*/s, '');
  if (unknown !== undefined && parseError.constructor.name.startsWith('NonExistentFlag')) {
    const meant = unknown.startsWith('--') ? nearestName(unknown.slice(2), spellingsOf(flags)) : undefined;
    return new SvcError('usage', `\`${command}\` has no flag ${unknown}`, {
      hint: meant ? `did you mean --${meant}?` : `see \`${command} --help\``,
      cause: error,
    });
  }
  const [missing] = parseError.args ?? [];
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
  const words = (parseError.args ?? []) as readonly string[];
  const meant = words.length > 0 ? withMissingFlag(words, id, Object.keys(flags)) : undefined;
  const message = rephrase(error.message);
  const [, dependency] = DEPENDS_ON.exec(message) ?? [];
  if (dependency !== undefined)
    return new SvcError('usage', message, {
      hint: (invocation) => invocation.rerunWith(dependency),
      cause: error,
    });
  return new SvcError('usage', message, {
    hint: meant
      ? (invocation) => invocation.onSameService(...id.split(':'), ...meant)
      : `see \`${command} --help\``,
    cause: error,
  });
}

/** The message for a flag that depends on a boolean flag. */
const DEPENDS_ON = /^--\S+ needs (--\S+)$/;

/** Returns unexpected arguments with the flag or `--` that was probably left out before them. */
function withMissingFlag(
  words: readonly string[],
  id: string,
  flags: readonly string[],
): string[] | undefined {
  if (id === 'serve:exec') return ['--', ...words];
  return flags.includes('hash-id') && words.length === 1 ? ['--hash-id', ...words] : undefined;
}

/** Rewrites oclif's message on one line, without colors and without its advice. */
function rephrase(message: string): string {
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
