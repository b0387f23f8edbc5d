import { SvcError } from '../../../cli/errors/svc-error.ts';
import { shell, shellWord } from '../../../kit/shell.ts';
import { columnsOf, type MapRule, parseRule, ruleText } from '../transform/map-rules.ts';
import type { CellType, Mapping } from '../transform/mapping.ts';
import { FIELDS, type RecordKind } from '../transform/record-kind.ts';
import { isTimeZone } from '../transform/time/zones.ts';
import { compileTimestampFormat, TimestampFormatError } from '../transform/timestamp-formats.ts';
import type { MappingFlags } from './flags.ts';
import { delimiterOf } from './reading-options.ts';

/** Parses the flags that map records. Throws a `usage` error. */
export function mappingOf(kind: RecordKind, flags: MappingFlags, onZoneless: Mapping['onZoneless']): Mapping {
  const zone = flags['time-zone'] ?? 'UTC';
  if (!isTimeZone(zone))
    throw new SvcError('usage', `--time-zone ${zone} is not a time zone`, {
      hint: 'give an IANA name, such as --time-zone Europe/Berlin',
    });
  const format = flags['timestamp-format'];
  if (flags['time-zone'] !== undefined && format === undefined && !flags['convert-timestamps'])
    throw new SvcError('usage', '--time-zone needs --convert-timestamps or --timestamp-format', {
      hint: (invocation) => invocation.rerunWith('--convert-timestamps'),
    });
  return {
    kind,
    map: rulesOf(flags.map),
    set: new Map(pairs('set', flags.set)),
    types: typesOf(flags.type, kind),
    convert: flags['convert-timestamps'] ? zone : undefined,
    timestampFormat: format === undefined ? undefined : { format: formatOf(format), zone },
    onZoneless: flags['time-zone'] === undefined ? onZoneless : undefined,
    extraFields: flags['extra-fields'] as Mapping['extraFields'],
    nested: flags.nested as Mapping['nested'],
    nulls: flags.nulls as Mapping['nulls'],
    nullTexts: flags.null === undefined ? undefined : new Set(flags.null),
    decimalComma: flags['decimal-comma'] ? true : undefined,
    drop: flags.drop === undefined ? undefined : new Set(flags.drop),
    where: conditionsOf(flags.where),
    validate: !flags['no-validate'],
    delimiter: delimiterOf(flags.delimiter),
    quote: flags.quote === 'none' ? 'none' : undefined,
  };
}

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

function rulesOf(given: readonly string[] | undefined): MapRule[] {
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

function typesOf(given: readonly string[] | undefined, kind: RecordKind): Map<string, CellType> {
  return new Map(
    pairs('type', given).map(([column, type]) => {
      if (!['string', 'number', 'boolean'].includes(type))
        throw new SvcError('usage', `--type ${column}=${type} is not a type`, {
          hint: shell`choose string, number or boolean, such as: --type ${`${column}=string`}`,
        });
      if (type !== 'string' && FIELDS[kind].includes(column))
        throw new SvcError('usage', `--type ${column}=${type}: the field ${column} is always text`, {
          hint: shell`leave out --type ${`${column}=${type}`}`,
        });
      return [column, type as CellType] as const;
    }),
  );
}

/** Conditions on one field are alternatives; conditions on several must all hold. */
function conditionsOf(given: readonly string[] | undefined): Mapping['where'] {
  if (given === undefined) return undefined;
  const conditions = new Map<string, Set<string>>();
  for (const [field, value] of pairs('where', given))
    conditions.set(field, (conditions.get(field) ?? new Set()).add(value));
  return conditions;
}

function formatOf(format: string) {
  try {
    return compileTimestampFormat(format);
  } catch (error) {
    if (!(error instanceof TimestampFormatError)) throw error;
    throw new SvcError('usage', `--timestamp-format ${format} ${error.message}`, {
      hint: shell`write it as in --timestamp-format ${error.suggestion ?? 'YYYY-MM-DD HH:mm:ss'}`,
      cause: error,
    });
  }
}
