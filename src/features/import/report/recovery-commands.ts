import { partitionFlags } from '../../../cli/invocation/partition-flags.ts';
import { commandLine } from '../../../kit/shell.ts';
import type { Difference } from '../deliver/differences.ts';
import { flagsOfKey, OPTIONS, SENT } from '../option-table/table.ts';

/** The commands that recover from a failure, quoted for a shell. */
export interface RecoveryCommands {
  readonly resume: string;
  readonly restart: string;
  /** Resumes an earlier run with the options of that run. */
  resumeAs(earlier: readonly Difference[]): string;
  /** The command without some of its flags, and with `more` appended. */
  without(flags: readonly string[], more?: readonly string[]): string;
  /**
   * The command with another input in place of one, or of all if that one was not typed; without the flags that continue
   * an earlier run. With `flags` for events, it is the import with those, unless other ones are typed.
   */
  replacing(name: string, input: string, flags?: readonly string[]): string;
  /** The command with another file as input, without the flags that concern only the old inputs and without `flags`. */
  instead(
    inputs: readonly string[],
    file: string,
    flags?: readonly string[],
    more?: readonly string[],
  ): string;
}

/** The recovery out of `svc COMMAND WORDS…`, in which `named` are the inputs. */
export function recoveryCommands(
  command: string,
  typed: readonly string[],
  named: readonly string[] = [],
): RecoveryCommands {
  const line = (words: readonly string[], by = command) => `svc ${by} ${commandLine(words)}`;
  const without = (flags: readonly string[], more: readonly string[] = []) => {
    const { others, rest } = withoutFlags(typed, [...flags, 'resume', 'restart']);
    return line([...others, ...more, ...rest]);
  };
  return {
    resume: without([], ['--resume']),
    restart: without([], ['--restart']),
    resumeAs: (earlier) =>
      without(
        earlier.flatMap(({ name }) => flagsOfKey(name)),
        [...earlier.flatMap(typedAs), '--resume'],
      ),
    without,
    replacing(name, input, more = []) {
      const { others, rest } = withoutFlags(typed, [
        'resume',
        'restart',
        ...(more.length > 0 ? ['save'] : []),
      ]);
      const left = named.includes(name) ? named.filter((other) => other !== name) : [];
      const flags = [...others, ...rest].filter((word) => word !== '--' && !named.includes(word));
      const words = [...[...left, input].map(asInput), ...flags];
      const isOpen = command.startsWith('events ') && !typed.some((word) => MAPS.test(word));
      return isOpen && more.length > 0 ? line([...words, ...more], 'events import') : line(words);
    },
    instead(inputs, file, flags = [], more = []) {
      const { others } = withoutFlags(typed, [...OF_INPUTS, 'resume', 'restart', ...flags]);
      return line([
        asInput(file),
        ...others.filter((word) => !inputs.includes(word) && word !== '-n'),
        ...more,
      ]);
    },
  };
}

/**
 * The words after `svc` that go on with an interrupted import in any folder: its inputs and the flags that determine what is
 * sent, as its journal has them (`optionsText`), but for those that have their default.
 */
export function resumeWords(journaled: string): string[] {
  const { kind, inputs, ...given } = JSON.parse(journaled);
  return [kind, 'import', ...inputs.map(asInput), ...flagsGiven(given), '--resume'];
}

/** The words after `svc` that import the file of an import's rejects, which maps them as the journal of the import says. */
export function rejectsWords(journaled: string, file: string): string[] {
  const { kind, inputs: _, ...given } = JSON.parse(journaled);
  return [kind, 'import', asInput(file), ...flagsGiven(given, [...OF_INPUTS, 'records'])];
}

/** Flags that concern only the inputs of an import, not the file of its rejects. */
const OF_INPUTS = ['rejects', 'checkpoint', 'shard', 'limit', 'dry-run'];

/** The flags that a journal has, but for those of `without` and those that have their default. */
function flagsGiven(given: Readonly<Record<string, unknown>>, without: readonly string[] = []): string[] {
  return OPTIONS.flatMap(({ flag, sent, default: preset }) =>
    sent && !without.includes(flag) && given[sent.key] !== preset
      ? typedAs({ name: sent.key, before: given[sent.key] })
      : [],
  );
}

/** Flags that say which columns are the fields. */
const MAPS = /^--(map|set|mapping|from)(=|$)/;

/** A name that is not read as a flag. */
function asInput(name: string): string {
  return name.startsWith('-') && name !== '-' ? `./${name}` : name;
}

/** Describes how the options of an earlier run differ: `with --limit 5 and without --map`, `of b.csv`. */
export function earlierText(earlier: readonly Difference[]): string {
  return earlier
    .map((difference) => {
      const place = PLACES[difference.name];
      if (place) return place(difference.before);
      const words = typedAs(difference);
      return words.length > 0 ? `with ${commandLine(words)}` : `without --${flagsOfKey(difference.name)[0]}`;
    })
    .join(' and ');
}

/** Options without a flag, by their name in `optionsText`. */
const PLACES: Readonly<Record<string, (before: unknown) => string>> = {
  kind: (kind) => `of ${kind}`,
  inputs: (inputs) => `of ${(inputs as string[]).join(', ')}`,
  baseUrl: (url) => `at ${url}`,
  workspace: (workspace) => `in workspace ${workspace}`,
};

/** The words of an option in an earlier run; empty if it was not given. */
function typedAs({ name, before }: Difference): string[] {
  const option = SENT.find(({ key }) => key === name);
  return !option || before === null || before === undefined ? [] : option.again(`--${option.flag}`, before);
}

const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  'json',
  ...OPTIONS.filter(({ type }) => type === 'boolean').map(({ flag }) => flag),
]);

function withoutFlags(words: readonly string[], flags: readonly string[]) {
  return partitionFlags(words, (word) => {
    const [, flag, value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    if (flag === undefined || !flags.includes(flag)) return 0;
    return value === undefined && !WITHOUT_VALUE.has(flag) ? 2 : 1;
  });
}
