/** The parsers of the flags that determine what is sent. Each throws a `usage` error. */
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { shell, shellWord } from '../../../kit/shell.ts';
import { cellsOf } from '../formats/csv/csv-rows.ts';
import { parsePath } from '../formats/json/find-records.ts';
import type { Quote } from '../formats/reading.ts';
import { encodingName } from '../input/encoding.ts';
import { columnsOf, type MapRule, parseRule, ruleText } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { compileTimestampFormat, TimestampFormatError } from '../mapping/time/timestamp-formats.ts';
import { type GivenType, isGivenType } from '../record/cell-type.ts';
import { isPlaceholder } from '../record/placeholders.ts';
import { FIELDS } from '../record/record-kind.ts';
import type { Shard } from '../record/shard.ts';
import type { Given } from './option.ts';

/** Longest delimiter, in characters. */
const MAX_DELIMITER = 16;

function pairs(name: string, given: readonly string[] | undefined): [string, string][] {
  return (given ?? []).map((text) => pairOf(name, text));
}

function pairOf(flag: string, text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw noEqualsSign(flag, text);
}

function noEqualsSign(flag: string, text: string): SvcError {
  return new SvcError('usage', `--${flag} ${text} has no =`, { hint: `write it as --${flag} name=value` });
}

/** The constants of `--set`. One that stands as it was printed is not yet a constant. */
export function constantsOf(given: readonly string[] | undefined, { kind }: Given): Map<string, string> {
  const constants = pairs('set', given);
  const open = constants.find(([name, value]) => FIELDS[kind].includes(name) && isPlaceholder(value));
  if (open)
    throw new SvcError('usage', `--set ${open.join('=')} is as it was printed`, {
      hint: shell`put the ${open[0]} of all records in place of ${open[1]}, or name a column: --map ${`${open[0]}=…`}`,
    });
  return new Map(constants);
}

export function rulesOf(given: readonly string[] | undefined): MapRule[] {
  const rules = (given ?? []).map((text) => {
    const rule = parseRule(text);
    if (!rule) throw noEqualsSign('map', text);
    return rule;
  });
  const target = firstRepeated(rules.map((rule) => rule.target));
  if (target !== undefined) {
    const both = rules.filter((rule) => rule.target === target);
    const merged = { target, sources: both.flatMap(({ sources }) => sources) };
    throw new SvcError('usage', `--map names ${target} twice`, {
      hint: shell`to use the first column that is not empty: --map ${ruleText(merged)}`,
    });
  }
  const column = firstRepeated(rules.flatMap((rule) => [...new Set(columnsOf([rule]))]));
  if (column !== undefined)
    throw new SvcError('usage', `--map reads the column ${column} twice`, {
      hint: `remove one of: ${rules
        .filter((rule) => columnsOf([rule]).includes(column))
        .map((rule) => `--map ${shellWord(ruleText(rule))}`)
        .join(' ')}`,
    });
  return rules;
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

export function typesOf(given: readonly string[] | undefined, { kind }: Given): Map<string, GivenType> {
  return new Map(
    pairs('type', given).map(([column, type]) => {
      if (!isGivenType(type))
        throw new SvcError('usage', `--type ${column}=${type} is not a type`, {
          hint: shell`choose string, number, boolean or amount, such as: --type ${`${column}=string`}, or for amounts in euros ${`${column}=amount:€`}`,
        });
      if (type !== 'string' && FIELDS[kind].includes(column))
        throw new SvcError('usage', `--type ${column}=${type}: the field ${column} is always text`, {
          hint: shell`leave out --type ${`${column}=${type}`}`,
        });
      return [column, type] as const;
    }),
  );
}

/** Conditions on one field are alternatives; conditions on several must all hold. */
export function conditionsOf(given: readonly string[] | undefined): Mapping['where'] {
  if (given === undefined) return undefined;
  const conditions = new Map<string, Set<string>>();
  for (const [field, value] of pairs('where', given))
    conditions.set(field, (conditions.get(field) ?? new Set()).add(value));
  return conditions;
}

/** `--timestamp-format`, with the time zone for times without one. */
export function timestampFormatOf(format: string | undefined, { zone }: Given): Mapping['timestampFormat'] {
  if (format === undefined) return undefined;
  try {
    return { format: compileTimestampFormat(format), zone };
  } catch (error) {
    if (!(error instanceof TimestampFormatError)) throw error;
    throw new SvcError('usage', `--timestamp-format ${format} ${error.message}`, {
      hint: shell`write it as in --timestamp-format ${error.suggestion ?? 'YYYY-MM-DD HH:mm:ss'}`,
      cause: error,
    });
  }
}

export function columnNames(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = cellsOf(text, ',', text.includes('"'));
  const second = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (second !== undefined)
    throw new SvcError('usage', `--columns names ${second} twice`, {
      hint: 'give each column its own name; a column without a name is left out, as in --columns userId,,date',
    });
  return names;
}

export function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const name = encodingName(label);
  if (name !== undefined) return name;
  throw new SvcError('usage', `--encoding ${label} is not a known encoding`, {
    hint: 'give a name such as --encoding windows-1252, utf-16le, shift_jis or gb18030',
  });
}

/** Parses `--delimiter`: characters, `tab` or `\t`. Throws a `usage` error. */
export function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const delimiter = /^tab$/i.test(text) ? '\t' : text.replaceAll('\\t', '\t');
  if (delimiter !== '' && delimiter.length <= MAX_DELIMITER && !/["\r\n\0]/.test(delimiter)) return delimiter;
  throw new SvcError('usage', `--delimiter ${text} cannot separate cells`, {
    hint: `give 1 to ${MAX_DELIMITER} characters without quotes and line breaks, such as --delimiter ';' or --delimiter tab`,
  });
}

/** Parses `--quote`, also the quote itself. */
export function quoteOf(text: string | undefined): Quote | undefined {
  return text === "'" ? 'single' : (text as Quote | undefined);
}

export function recordsPath(records: string | undefined, { format }: Given): string[] | undefined {
  if (records !== undefined && format !== undefined && format !== 'json')
    throw new SvcError('usage', `--records is the path of an array in JSON, and --format is ${format}`, {
      hint: 'leave out --format, or use --format json',
    });
  return records === undefined ? undefined : parsePath(records);
}

/** Parses `I/N`, I from 1. */
export function parseShard(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const index = Number(match?.[1]) - 1;
  const count = Number(match?.[2]);
  if (match && index >= 0 && index < count) return { index, count };
  throw new SvcError('usage', `--shard ${text} is not a part`, {
    hint: 'give I/N with I from 1 to N, such as --shard 1/4',
  });
}
