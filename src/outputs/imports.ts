import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { flag, number, text, textOrNull, whole, wholeOrNull } from './fields.ts';

const counts = {
  files: whole('Number of inputs.'),
  read: whole('Records read: accepted + rejected + skipped + unsent.'),
  accepted: whole('Records that the service has acknowledged.'),
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

/** A line of `svc users import`, beside which the result goes to stderr. */
export const ImportedUser = z.object({
  userId: text('Identifier of the user, as sent.'),
  hashId: text('Hashed identifier, which the other commands take.'),
});
