import * as z from 'zod/mini';
import { PLAN_RULES } from '../contract/event-plan.ts';
import { about } from '../contract/parts.ts';
import { flag, number, text, textOrNull, whole, wholeOrNull } from './fields.ts';

const counts = {
  files: whole('Number of inputs.'),
  read: whole('Records read: accepted + rejected + skipped + unsent.'),
  accepted: whole('Records that the service has acknowledged.'),
  duplicates: whole(
    'Of the accepted ones, events whose eventId is repeated, which the service did not store again.',
  ),
  rejected: whole('Records that are not valid, or that the service refused.'),
  skipped: whole('Records that were acknowledged in an earlier run.'),
  unsent: whole('Records that were not sent.'),
  batches: whole('Batches sent.'),
  requests: whole('Requests made, retries included.'),
  retries: whole('Requests that repeated an earlier one.'),
  rateLimited: whole('Requests that were answered 429.'),
  rateLimit: wholeOrNull('Requests that the service allows per window; null if no answer named a limit.'),
  heldBackMs: number('How long requests waited for that limit alone, in ms.'),
  bytes: whole('Bytes of the request bodies.'),
  elapsedMs: number('Duration, in ms.'),
  eventsPerSecond: number('Accepted records per second.'),
  rejectsFile: textOrNull('File with the rejected records; null if there is none.'),
  resumeCommand: textOrNull('Command that continues the import; null if nothing is left.'),
  sha256: textOrNull(
    'Hash of the input; null for several inputs, a shard, and an input not read to its end.',
  ),
  firstTimestamp: textOrNull('Earliest time of the valid records that were read; null if there is none.'),
  lastTimestamp: textOrNull('Latest time of the valid records that were read; null if there is none.'),
  types: about(
    'Types of the columns that become properties; empty for JSON.',
    z.record(z.string(), z.enum(['string', 'number', 'boolean'])),
  ),
  filtered: whole('Records that --where left out; they are not among those read.'),
  violations: z.optional(
    about(
      'With --plan: what rejected events do against it, the most frequent first; up to 500.',
      z.array(
        z.object({
          event: text('Name of the event.'),
          property: text('The property; empty for the event as a whole.'),
          rule: about('What is wrong.', z.enum(PLAN_RULES)),
          count: whole('How often.'),
        }),
      ),
    ),
  ),
  otherViolations: z.optional(whole('With --plan: how many are not listed.')),
};

const plan = about(
  'What an import would do.',
  z.object({
    batches: whole('Batches to send.'),
    bytes: whole('Bytes of the request bodies.'),
    requests: whole('Requests to make.'),
    limit: whole('Requests per minute that the plan assumes; 2147483647 if there is no limit.'),
    limitSeen: flag('True if the limit was seen in an answer; false if it is the default.'),
    leastSeconds: number('The shortest possible duration, in seconds.'),
  }),
);

/** The result of an import; of a dry run with `dryRun` and `plan`. */
export const ImportOutput = z.object({
  dryRun: z.optional(flag('True for a dry run, which sends nothing.')),
  ...counts,
  plan: z.optional(plan),
});

/** What `svc events inspect` finds. */
export const InspectOutput = z.object({
  files: about('The inputs.', z.array(z.string())),
  format: text('Format of the first input.'),
  encoding: text('Its character encoding.'),
  compression: textOrNull('Its compression.'),
  delimiter: textOrNull('The delimiter of its cells.'),
  header: about(
    'True if the first row names the columns; null for formats without rows.',
    z.nullable(z.boolean()),
  ),
  rows: whole('Number of records.'),
  rowsExact: flag('False if the number of records is an estimate.'),
  columns: about(
    'The columns, or paths of JSON records.',
    z.array(
      z.object({
        name: text('Name of the column.'),
        type: text('Type of its values in the sample.'),
        examples: about('Values of the sample.', z.array(z.string())),
        empty: whole('Records of the sample in which it is empty, null or missing.'),
        distinct: whole('Distinct values in the sample.'),
        min: about('Smallest value.', z.nullable(z.union([z.string(), z.number()]))),
        max: about('Largest value.', z.nullable(z.union([z.string(), z.number()]))),
        role: about(
          'The field of an event that it holds.',
          z.nullable(z.enum(['userId', 'event', 'timestamp', 'eventId'])),
        ),
      }),
    ),
  ),
  timestamps: about(
    'The times of the records.',
    z.object({
      format: textOrNull('Format of the times.'),
      first: textOrNull('Earliest time.'),
      last: textOrNull('Latest time.'),
    }),
  ),
  ambiguities: about(
    'What only the user can decide.',
    z.array(
      z.object({
        column: textOrNull('The column.'),
        choices: about('The possible answers.', z.array(z.string())),
        flag: text('The flag that answers.'),
      }),
    ),
  ),
  command: text('The command that imports the inputs; what the user must decide is in capitals.'),
});

/** The vendor mappings, or one of them as a mapping file. */
export const SourcesOutput = z.union([
  z.object({
    sources: about(
      'The sources.',
      z.array(
        z.object({
          source: text('Name of the source.'),
          title: text('What it reads.'),
          documentation: about('Pages of its documentation.', z.array(z.string())),
        }),
      ),
    ),
  }),
  z.looseObject({}),
]);

/** A line of `svc users import`, beside which the result goes to stderr. */
export const ImportedUser = z.object({
  userId: text('Identifier of the user, as sent.'),
  hashId: text('Hashed identifier, which the other commands take.'),
});
