import { Flags } from '../../../cli/flags/oclif.ts';

/** The flags of `events import` and `users import`. */
export const importFlags = {
  format: Flags.string({
    summary: 'NDJSON or CSV; found by extension or content unless given',
    options: ['ndjson', 'csv'],
    helpValue: 'ndjson|csv',
  }),
  map: Flags.string({
    summary: 'the column that holds a field or property',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'field=column',
  }),
  set: Flags.string({
    summary: 'the same field or property for every record',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'field=value',
  }),
  type: Flags.string({
    summary: 'how the cells of a CSV column are read',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'column=string|number|boolean',
  }),
  delimiter: Flags.string({
    summary: 'what separates CSV cells; found from the header unless given',
    helpValue: 'CHAR|tab',
  }),
  'convert-timestamps': Flags.boolean({
    summary: 'turn offsets, missing seconds and zones, and epoch numbers into UTC',
  }),
  'time-zone': Flags.string({
    summary: 'zone of times that name none',
    helpValue: 'UTC',
    dependsOn: ['convert-timestamps'],
  }),
  'extra-fields': Flags.string({
    summary: 'what becomes of fields that the service does not know',
    options: ['reject', 'properties', 'drop'],
    helpValue: 'reject|properties|drop',
  }),
  'no-validate': Flags.boolean({ summary: 'send any JSON object as it is' }),
  'batch-size': Flags.integer({ summary: 'most records a request', default: 1000, min: 1, max: 1000 }),
  concurrency: Flags.integer({ summary: 'most requests at once', default: 8, min: 1, max: 32 }),
  share: Flags.string({ summary: 'part of the rate limit to use', default: '100%', helpValue: '100%' }),
  'max-wait': Flags.string({
    summary: 'how long to keep trying through an outage',
    default: '0',
    helpValue: '1h',
  }),
  rejects: Flags.string({
    summary: 'where rejected records go; <file>.rejects.ndjson unless given',
    helpValue: 'FILE',
  }),
  'max-errors': Flags.integer({
    summary: 'stop when this many records were rejected',
    min: 1,
    helpValue: 'N',
  }),
  'fail-fast': Flags.boolean({ summary: 'stop at the first rejected record', exclusive: ['max-errors'] }),
  'dry-run': Flags.boolean({ char: 'n', summary: 'check everything and plan; send nothing' }),
  resume: Flags.boolean({
    summary: 'send only what was not acknowledged, or was appended since the import finished',
    exclusive: ['restart'],
  }),
  restart: Flags.boolean({ summary: 'forget an unfinished import and send all again' }),
  checkpoint: Flags.string({
    summary: 'the journal of this import; in the data directory unless given',
    helpValue: 'FILE',
  }),
  shard: Flags.string({ summary: 'import one of N parts, for several machines', helpValue: 'I/N' }),
  'flush-interval': Flags.string({
    summary: 'longest that records of a pipe wait for their batch to fill',
    default: '5s',
    helpValue: '5s',
  }),
  limit: Flags.integer({
    summary: 'stop after this many records (for the pace: --share)',
    min: 1,
    helpValue: 'N',
  }),
};

/** Those flags, parsed. */
export interface ImportFlags {
  readonly format?: string | undefined;
  readonly map?: string[] | undefined;
  readonly set?: string[] | undefined;
  readonly type?: string[] | undefined;
  readonly delimiter?: string | undefined;
  readonly 'convert-timestamps': boolean;
  readonly 'time-zone'?: string | undefined;
  readonly 'extra-fields'?: string | undefined;
  readonly 'no-validate': boolean;
  readonly 'batch-size': number;
  readonly concurrency: number;
  readonly share: string;
  readonly 'max-wait': string;
  readonly rejects?: string | undefined;
  readonly 'max-errors'?: number | undefined;
  readonly 'fail-fast': boolean;
  readonly 'dry-run': boolean;
  readonly resume: boolean;
  readonly restart: boolean;
  readonly checkpoint?: string | undefined;
  readonly shard?: string | undefined;
  readonly 'flush-interval': string;
  readonly limit?: number | undefined;
}
