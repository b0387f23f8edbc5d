import { Flags } from '../../../cli/flags/oclif.ts';

/** The flags that say how records are read and mapped: those of `events inspect`. */
export const mappingFlags = {
  format: Flags.string({
    summary: 'format of the input; detected by extension or content by default',
    options: ['ndjson', 'csv', 'json', 'parquet'],
    helpValue: 'ndjson|csv|json|parquet',
  }),
  records: Flags.string({
    summary: 'path of the array of records in a JSON document; found if there is one',
    helpValue: 'PATH',
  }),
  columns: Flags.string({
    summary: 'names of the columns of a CSV without a header',
    helpValue: 'A,B,…',
  }),
  encoding: Flags.string({
    summary: 'encoding of the text; UTF-8, or UTF-16 with its mark, by default',
    helpValue: 'NAME',
  }),
  mapping: Flags.string({
    summary: 'read these flags from a mapping file; flags override it',
    helpValue: 'FILE',
  }),
  from: Flags.string({
    summary: 'read these flags from the mapping of a product; `svc events sources` lists them',
    helpValue: 'SOURCE',
  }),
  map: Flags.string({
    summary:
      'read a field or property from a column or path: a,b is the first that is not empty, a+b joins both',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'field=column',
  }),
  set: Flags.string({
    summary: 'set a field or property of every record',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'field=value',
  }),
  type: Flags.string({
    summary: 'type of the values of a column or path',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'column=string|number|boolean',
  }),
  delimiter: Flags.string({
    summary: 'delimiter of CSV cells; detected from the header by default',
    helpValue: 'TEXT|tab',
  }),
  quote: Flags.string({
    summary: 'double: cells may be quoted, as in RFC 4180; none: treat quotes as ordinary characters',
    options: ['double', 'none'],
    helpValue: 'double|none',
  }),
  'convert-timestamps': Flags.boolean({
    summary: 'convert times in other forms to UTC, where they can mean one thing only',
  }),
  'timestamp-format': Flags.string({
    summary: 'form of the times, such as "DD.MM.YYYY HH:mm", epoch-s or epoch-ms',
    helpValue: 'FORMAT',
  }),
  'time-zone': Flags.string({
    summary: 'time zone for timestamps without one (with --convert-timestamps or --timestamp-format)',
    helpValue: 'UTC',
  }),
  'extra-fields': Flags.string({
    summary: 'how to handle unknown fields',
    options: ['reject', 'properties', 'drop'],
    helpValue: 'reject|properties|drop',
  }),
  nested: Flags.string({
    summary: 'how to handle objects and arrays in properties: flatten gives a.b, json keeps their text',
    options: ['reject', 'flatten', 'drop', 'json'],
    helpValue: 'reject|flatten|drop|json',
  }),
  null: Flags.string({
    summary: 'text that stands for an empty cell, such as NULL',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TEXT',
  }),
  nulls: Flags.string({
    summary: 'how to handle null in JSON',
    options: ['reject', 'drop'],
    helpValue: 'reject|drop',
  }),
  'decimal-comma': Flags.boolean({ summary: 'read numbers as 1.234,5' }),
  drop: Flags.string({
    summary: 'leave out a column, path or property',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'COLUMN',
  }),
  where: Flags.string({
    summary: 'import only records with this value; several values of a field are alternatives',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'field=value',
  }),
  'no-validate': Flags.boolean({ summary: 'send any JSON object without validation' }),
};

/** The flag of the commands that send events or users. */
export const acknowledgementFlag = {
  'accept-any-answer': Flags.boolean({
    summary: 'a 2xx without rate-limit headers and without "accepted" acknowledges the records, too',
  }),
};

/** The flags of `events import` and `users import`. */
export const importFlags = {
  ...mappingFlags,
  ...acknowledgementFlag,
  'batch-size': Flags.integer({
    summary: 'maximum number of records per request',
    default: 1000,
    min: 1,
    max: 1000,
  }),
  concurrency: Flags.integer({
    summary: 'maximum number of concurrent requests',
    default: 8,
    min: 1,
    max: 32,
  }),
  share: Flags.string({ summary: 'share of the rate limit to use', default: '100%', helpValue: '100%' }),
  'max-wait': Flags.string({
    summary: 'how long to retry during an outage',
    default: '0',
    helpValue: '1h',
  }),
  rejects: Flags.string({
    summary: 'file for rejected records; <file>.rejects.ndjson by default',
    helpValue: 'FILE',
  }),
  'max-errors': Flags.integer({
    summary: 'stop after this many rejected records',
    min: 1,
    helpValue: 'N',
  }),
  'no-preflight': Flags.boolean({
    summary: 'start even if most of the first records would be rejected',
  }),
  'fail-fast': Flags.boolean({ summary: 'stop at the first rejected record', exclusive: ['max-errors'] }),
  'dry-run': Flags.boolean({ char: 'n', summary: 'validate all records and show the plan; send nothing' }),
  resume: Flags.boolean({
    summary: 'continue an unfinished import: send only records that were not acknowledged',
    exclusive: ['restart'],
  }),
  restart: Flags.boolean({ summary: 'discard an earlier import and send everything again' }),
  checkpoint: Flags.string({
    summary: 'journal of this import; in the data directory by default',
    helpValue: 'FILE',
  }),
  shard: Flags.string({ summary: 'import one of N parts, to use several machines', helpValue: 'I/N' }),
  'flush-interval': Flags.string({
    summary: 'longest wait for a batch to fill when reading a pipe',
    default: '5s',
    helpValue: '5s',
  }),
  limit: Flags.integer({
    summary: 'stop after this many records',
    min: 1,
    helpValue: 'N',
  }),
};

/** The parsed flags of `events inspect`. */
export interface MappingFlags {
  readonly format?: string | undefined;
  readonly mapping?: string | undefined;
  readonly from?: string | undefined;
  readonly map?: string[] | undefined;
  readonly set?: string[] | undefined;
  readonly type?: string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly quote?: string | undefined;
  readonly records?: string | undefined;
  readonly columns?: string | undefined;
  readonly encoding?: string | undefined;
  readonly 'convert-timestamps': boolean;
  readonly 'timestamp-format'?: string | undefined;
  readonly 'time-zone'?: string | undefined;
  readonly 'extra-fields'?: string | undefined;
  readonly nested?: string | undefined;
  readonly null?: string[] | undefined;
  readonly nulls?: string | undefined;
  readonly 'decimal-comma': boolean;
  readonly drop?: string[] | undefined;
  readonly where?: string[] | undefined;
  readonly 'no-validate': boolean;
}

/** The parsed flags. */
export interface ImportFlags extends MappingFlags {
  readonly 'accept-any-answer': boolean;
  readonly 'batch-size': number;
  readonly concurrency: number;
  readonly share: string;
  readonly 'max-wait': string;
  readonly rejects?: string | undefined;
  readonly 'max-errors'?: number | undefined;
  readonly 'no-preflight': boolean;
  readonly 'fail-fast': boolean;
  readonly 'dry-run': boolean;
  readonly resume: boolean;
  readonly restart: boolean;
  readonly checkpoint?: string | undefined;
  readonly shard?: string | undefined;
  readonly 'flush-interval': string;
  readonly limit?: number | undefined;
}
