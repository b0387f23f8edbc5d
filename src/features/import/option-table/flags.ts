/**
 * The table of the options of an import: the definition of each flag, and beside it how the flag is parsed, its key in the
 * journal, how it is typed again in recovery commands, and its form in a mapping file (see option.ts). All else is derived.
 */
import type { Interfaces } from '@oclif/core';
import { Flags } from '../../../cli/flags/oclif.ts';
import { namesText } from '../formats/csv/csv-rows.ts';
import { pathText } from '../formats/json/find-records.ts';
import { type Format, QUOTES } from '../formats/reading.ts';
import { onlyColumn } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { THOUSANDS } from '../mapping/number-form.ts';
import type { Shard } from '../record/shard.ts';
import {
  as,
  type JournaledRule,
  journaledRuleText,
  sent,
  setOf,
  unsent,
  within,
  zoneWords,
} from './option.ts';
import * as parse from './parsers.ts';

/** A flag that may be given several times. */
const repeated = { multiple: true, multipleNonGreedy: true } as const;

/** The flags that say how records are read and mapped: those of `events inspect`. */
export const mappingFlags = {
  format: Flags.string({
    summary: 'format of the input; detected by extension or content by default',
    options: ['ndjson', 'csv', 'json', 'parquet'],
    helpValue: 'ndjson|csv|json|parquet',
    ...sent('reading', 'format', as<Format | undefined>),
  }),
  records: Flags.string({
    summary: 'path of the array of records in a JSON document; found if there is one',
    helpValue: 'PATH',
    ...sent('reading', 'records', parse.recordsPath, {
      again: (flag, path: string[]) => [flag, pathText(path)],
    }),
  }),
  columns: Flags.string({
    summary: 'names of the columns of a CSV without a header',
    helpValue: 'A,B,…',
    ...sent('reading', 'columns', parse.columnNames, {
      file: 'columns',
      again: (flag, names: string[]) => [flag, namesText(names)],
    }),
  }),
  encoding: Flags.string({
    summary: 'encoding of the text; UTF-8, or UTF-16 with its mark, by default',
    helpValue: 'NAME',
    ...sent('reading', 'encoding', parse.encodingOf),
  }),
  mapping: Flags.string({
    summary: 'read these flags from a mapping file; flags override it',
    helpValue: 'FILE',
    ...unsent('the flags that it stands for are in the journal one by one'),
  }),
  from: Flags.string({
    summary: 'read these flags from the mapping of a product; `svc events sources` lists them',
    helpValue: 'SOURCE',
    ...unsent('the flags that it stands for are in the journal one by one'),
  }),
  map: Flags.string({
    summary:
      'read a field or property from a column or path: a,b is the first that is not empty, a+b joins both',
    ...repeated,
    helpValue: 'field=column',
    ...sent('mapping', 'map', parse.rulesOf, {
      file: 'pairs',
      journal: (rules) => rules.map((rule) => [onlyColumn(rule) ?? rule.sources, rule.target]),
      again: (flag, rules: JournaledRule[]) => rules.flatMap((rule) => [flag, journaledRuleText(rule)]),
    }),
  }),
  set: Flags.string({
    summary: 'set a field or property of every record',
    ...repeated,
    helpValue: 'field=value',
    ...sent('mapping', 'set', parse.constantsOf, { file: 'pairs' }),
  }),
  type: Flags.string({
    summary: 'type of the values of a column or path',
    ...repeated,
    helpValue: 'column=string|number|boolean|amount',
    ...sent('mapping', 'types', parse.typesOf, { file: 'pairs' }),
  }),
  delimiter: Flags.string({
    summary: 'delimiter of CSV cells; detected from the header by default',
    helpValue: 'TEXT|tab',
    ...sent('reading', 'delimiter', parse.delimiterOf, {
      again: (flag, text: string) => [flag, text === '\t' ? 'tab' : text],
    }),
  }),
  quote: Flags.string({
    summary: 'quotes that may enclose cells; none: quotes are ordinary characters',
    options: [...QUOTES, "'"],
    helpValue: QUOTES.join('|'),
    ...sent('reading', 'quote', parse.quoteOf),
  }),
  'convert-timestamps': Flags.boolean({
    summary: 'convert times in other forms to UTC, where they can mean one thing only',
    ...sent('mapping', 'convert', (on: boolean, { zone }) => (on ? zone : undefined), {
      again: (flag, zone: string) => [flag, ...zoneWords(zone)],
    }),
  }),
  'timestamp-format': Flags.string({
    summary: 'form of the times, such as "DD.MM.YYYY HH:mm", epoch-s, epoch-ms or excel',
    helpValue: 'FORMAT',
    ...sent('mapping', 'timestampFormat', parse.timestampFormatOf, {
      journal: (given) => given && [given.format.format, given.zone],
      again: (flag, [format, zone]: [string, string]) => [flag, format, ...zoneWords(zone)],
    }),
  }),
  'time-zone': Flags.string({
    summary: 'time zone for timestamps without one (with --convert-timestamps or --timestamp-format)',
    helpValue: 'UTC',
    ...within('convert', 'timestampFormat'),
  }),
  'extra-fields': Flags.string({
    summary: 'how to handle unknown fields',
    options: ['reject', 'properties', 'drop'],
    helpValue: 'reject|properties|drop',
    ...sent('mapping', 'extraFields', as<Mapping['extraFields']>),
  }),
  nested: Flags.string({
    summary: 'how to handle objects and arrays in properties: flatten gives a.b, json keeps their text',
    options: ['reject', 'flatten', 'drop', 'json'],
    helpValue: 'reject|flatten|drop|json',
    ...sent('mapping', 'nested', as<Mapping['nested']>),
  }),
  null: Flags.string({
    summary: 'text that stands for an empty cell, such as NULL',
    ...repeated,
    helpValue: 'TEXT',
    ...sent('mapping', 'nullTexts', setOf),
  }),
  nulls: Flags.string({
    summary: 'how to handle null in JSON',
    options: ['reject', 'drop'],
    helpValue: 'reject|drop',
    ...sent('mapping', 'nulls', as<Mapping['nulls']>),
  }),
  'decimal-comma': Flags.boolean({
    summary: 'read numbers as 1.234,5',
    ...sent('mapping', 'decimalComma', (on: boolean) => on || undefined),
  }),
  thousands: Flags.string({
    summary: 'what separates thousands in numbers; with . a comma is the decimal mark',
    options: THOUSANDS,
    helpValue: ',|.|space|apostrophe',
    exclusive: ['decimal-comma'],
    ...sent('mapping', 'thousands', as<Mapping['thousands']>),
  }),
  drop: Flags.string({
    summary: 'leave out a column, path or property',
    ...repeated,
    helpValue: 'COLUMN',
    ...sent('mapping', 'drop', setOf),
  }),
  where: Flags.string({
    summary: 'import only records with this value; several values of a field are alternatives',
    ...repeated,
    helpValue: 'field=value',
    ...sent('mapping', 'where', parse.conditionsOf, {
      file: 'pairs',
      journal: (where) =>
        where && [...where].flatMap(([field, values]) => [...values].map((value) => [field, value])),
    }),
  }),
  'no-validate': Flags.boolean({
    summary: 'send any JSON object without validation',
    ...sent('mapping', 'validate', (off: boolean) => !off, {
      again: (flag, on: boolean) => (on ? [] : [flag]),
    }),
  }),
};

/** The flag of the commands that send events or users. */
export const acknowledgementFlag = {
  'accept-any-answer': Flags.boolean({
    summary: 'a 2xx without rate-limit headers and without "accepted" acknowledges the records, too',
    ...unsent('what acknowledges the records'),
  }),
};

/** The flags of `events import` and `users import`. */
export const importFlags = {
  ...mappingFlags,
  ...acknowledgementFlag,
  plan: Flags.string({
    summary: 'reject events that are not as planned in the section `events` of this catalog',
    helpValue: 'FILE',
    // The command reads the file, as it knows the folder.
    ...sent('mapping', 'plan', (): Mapping['plan'] => undefined, {
      journal: (plan) => plan && [plan.file, plan.digest],
      again: (flag, [file]: [string, string]) => [flag, file],
    }),
  }),
  'batch-size': Flags.integer({
    summary: 'maximum number of records per request',
    default: 1000,
    min: 1,
    max: 1000,
    ...sent('input', 'batchSize', as<number>),
  }),
  concurrency: Flags.integer({
    summary: 'maximum number of concurrent requests',
    default: 8,
    min: 1,
    max: 32,
    ...unsent('the order of requests'),
  }),
  share: Flags.string({
    summary: 'share of the rate limit to use',
    default: '100%',
    helpValue: '100%',
    ...unsent('the speed'),
  }),
  'max-wait': Flags.string({
    summary: 'how long to retry during an outage; a request that is being retried is not cut short',
    default: '0',
    helpValue: '1h',
    ...unsent('how long an outage is waited for'),
  }),
  rejects: Flags.string({
    summary: 'file for rejected records; <file>.rejects.ndjson by default',
    helpValue: 'FILE',
    ...unsent('where rejected records are written'),
  }),
  'max-errors': Flags.integer({
    summary: 'stop after this many rejected records',
    min: 1,
    helpValue: 'N',
    ...unsent('when an import stops; --resume sends the rest'),
  }),
  'no-preflight': Flags.boolean({
    summary: 'start even if most of the first records would be rejected',
    ...unsent('whether an import starts'),
  }),
  'fail-fast': Flags.boolean({
    summary: 'stop at the first rejected record',
    exclusive: ['max-errors'],
    ...unsent('when an import stops; --resume sends the rest'),
  }),
  'dry-run': Flags.boolean({
    char: 'n',
    summary: 'validate all records and show the plan; send nothing',
    ...unsent('nothing is sent, and there is no journal'),
  }),
  resume: Flags.boolean({
    summary: 'continue an unfinished import: send only records that were not acknowledged',
    exclusive: ['restart'],
    ...unsent('asks for the same import'),
  }),
  restart: Flags.boolean({
    summary: 'discard an earlier import and send everything again',
    ...unsent('discards the journal'),
  }),
  checkpoint: Flags.string({
    summary: 'journal of this import; in the data directory by default',
    helpValue: 'FILE',
    ...unsent('where the journal is'),
  }),
  shard: Flags.string({
    summary: 'import one of N parts, to use several machines',
    helpValue: 'I/N',
    ...sent('input', 'shard', parse.parseShard, {
      again: (flag, { index, count }: Shard) => [flag, `${index + 1}/${count}`],
    }),
  }),
  'flush-interval': Flags.string({
    summary: 'longest wait for a batch to fill when reading a pipe',
    default: '5s',
    helpValue: '5s',
    ...unsent('when a batch of a pipe is sent'),
  }),
  limit: Flags.integer({
    summary: 'stop after this many records',
    min: 1,
    helpValue: 'N',
    ...sent('input', 'limit', as<number | undefined>),
  }),
};

/** The parsed flags; those that may be absent are optional. */
type Parsed<T, F = Omit<Interfaces.InferredFlags<T>, 'json'>> = {
  readonly [K in keyof F as undefined extends F[K] ? never : K]: F[K];
} & { readonly [K in keyof F as undefined extends F[K] ? K : never]?: F[K] };
/** Whether the rule of `eventId` is that of `--from`. */
interface SourceIds {
  readonly sourceIds?: boolean;
}
/** The parsed flags of `events inspect`. */
export type MappingFlags = Parsed<typeof mappingFlags> & SourceIds;
/** The parsed flags of `events import` and `users import`. */
export type ImportFlags = Parsed<typeof importFlags> & SourceIds;
