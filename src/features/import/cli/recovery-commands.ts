import { partitionFlags } from '../../../cli/invocation/partition-flags.ts';
import { commandLine } from '../../../kit/shell.ts';
import type { Shard } from '../batch/batcher.ts';
import type { Difference } from '../journal/identity.ts';
import { pathText } from '../read/json/find-records.ts';
import { ruleText, simpleRule } from '../transform/map-rules.ts';

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
   * an earlier run.
   */
  replacing(name: string, input: string): string;
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
  const line = (words: readonly string[]) => `svc ${command} ${commandLine(words)}`;
  const without = (flags: readonly string[], more: readonly string[] = []) => {
    const { others, rest } = withoutFlags(typed, [...flags, 'resume', 'restart']);
    return line([...others, ...more, ...rest]);
  };
  return {
    resume: without([], ['--resume']),
    restart: without([], ['--restart']),
    resumeAs: (earlier) =>
      without(
        earlier.flatMap(({ name }) => FLAGS[name] ?? []),
        [...earlier.flatMap(typedAs), '--resume'],
      ),
    without,
    replacing(name, input) {
      const { others, rest } = withoutFlags(typed, ['resume', 'restart']);
      const left = named.includes(name) ? named.filter((other) => other !== name) : [];
      const flags = [...others, ...rest].filter((word) => word !== '--' && !named.includes(word));
      return line([...[...left, input].map(asInput), ...flags]);
    },
    instead(inputs, file, flags = [], more = []) {
      const { others } = withoutFlags(typed, [
        'rejects',
        'checkpoint',
        'shard',
        'limit',
        'dry-run',
        'resume',
        'restart',
        ...flags,
      ]);
      return line([file, ...others.filter((word) => !inputs.includes(word) && word !== '-n'), ...more]);
    },
  };
}

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
      return words.length > 0 ? `with ${commandLine(words)}` : `without --${FLAGS[difference.name]?.[0]}`;
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

/** The flags that determine what is sent, by their name in `optionsText`. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  shard: ['shard'],
  batchSize: ['batch-size'],
  limit: ['limit'],
  format: ['format'],
  map: ['map'],
  set: ['set'],
  types: ['type'],
  convert: ['convert-timestamps', 'time-zone'],
  timestampFormat: ['timestamp-format', 'time-zone'],
  extraFields: ['extra-fields'],
  nested: ['nested'],
  nulls: ['nulls'],
  nullTexts: ['null'],
  decimalComma: ['decimal-comma'],
  drop: ['drop'],
  where: ['where'],
  validate: ['no-validate'],
  delimiter: ['delimiter'],
  quote: ['quote'],
  records: ['records'],
  columns: ['columns'],
  encoding: ['encoding'],
};
const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  'accept-any-answer',
  'convert-timestamps',
  'decimal-comma',
  'dry-run',
  'no-preflight',
  'no-validate',
  'resume',
  'restart',
]);

/** The words of an option in an earlier run; empty if it was not given. */
function typedAs({ name, before }: Difference): string[] {
  const flag = `--${FLAGS[name]?.[0]}`;
  const pairs = (join: (pair: [string, string]) => string) =>
    (before as [string, string][]).flatMap((pair) => [flag, join(pair)]);
  if (name === 'validate') return before === false ? [flag] : [];
  if (before === null || before === undefined) return [];
  switch (name) {
    case 'map':
      return (before as [string | string[][], string][]).flatMap(([column, target]) => [
        flag,
        ruleText(typeof column === 'string' ? simpleRule(target, column) : { target, sources: column }),
      ]);
    case 'timestampFormat': {
      const [format, zone] = before as [string, string];
      return [flag, format, ...(zone === 'UTC' ? [] : ['--time-zone', zone])];
    }
    case 'decimalComma':
      return [flag];
    case 'nullTexts':
    case 'drop':
      return (before as string[]).flatMap((text) => [flag, text]);
    case 'set':
    case 'types':
    case 'where':
      return pairs(([left, right]) => `${left}=${right}`);
    case 'convert':
      return before === 'UTC' ? [flag] : [flag, '--time-zone', String(before)];
    case 'shard': {
      const { index, count } = before as Shard;
      return [flag, `${index + 1}/${count}`];
    }
    case 'records':
      return [flag, pathText(before as string[])];
    case 'columns':
      return [
        flag,
        (before as string[])
          .map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
          .join(','),
      ];
    case 'delimiter':
      return [flag, before === '\t' ? 'tab' : String(before)];
    default:
      return [flag, String(before)];
  }
}

function withoutFlags(words: readonly string[], flags: readonly string[]) {
  return partitionFlags(words, (word) => {
    const [, flag, value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    if (flag === undefined || !flags.includes(flag)) return 0;
    return value === undefined && !WITHOUT_VALUE.has(flag) ? 2 : 1;
  });
}
