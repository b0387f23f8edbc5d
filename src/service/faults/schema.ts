/**
 * The file of `svc serve --faults`: which faults to inject, and when (docs/fault-injection.md). The JSON schema in
 * `docs/faults.schema.json` is generated from this schema.
 */

import * as z from 'zod/mini';
import { described } from '../../contract/described.ts';
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts';
import { EVENT_KINDS } from '../../contract/event-kind-names.ts';
import { DEFAULT_FAULT_DELAY_MS } from '../../contract/limits.ts';

const count = () => z.int().check(z.minimum(0), z.maximum(1_000_000));
const milliseconds = () => z.int().check(z.minimum(0), z.maximum(600_000));

/** When a rule applies, counted over the requests or deliveries that it matches, from 1. */
const when = {
  from: described(
    z.optional(z.int().check(z.minimum(1))),
    'First match to which the rule applies. Default: 1.',
  ),
  to: described(
    z.optional(z.int().check(z.minimum(1))),
    'Last match to which the rule applies. Default: no limit.',
  ),
  every: described(z.optional(z.int().check(z.minimum(1))), 'Length of a cycle, in matches. Default: 1.'),
  burst: described(
    z.optional(z.int().check(z.minimum(1))),
    'Number of matches at the start of each cycle to which the rule applies. Default: 1.',
  ),
  chance: described(
    z.optional(z.number().check(z.gt(0), z.maximum(1))),
    'Probability that the rule applies to one of these, drawn from the seed. Default: 1.',
  ),
};

const REQUEST_FAULTS = {
  refuse: 'answers 429 with Retry-After without executing the request',
  fail: 'answers with a 5xx status without executing the request',
  'fail-after-commit': 'executes the request, then answers with a 5xx status',
  'lose-answer': 'executes the request, then closes the connection without an answer',
  'slow-answer': 'executes the request, and delays the answer',
  'cut-answer': 'executes the request, sends half of the answer, then closes the connection',
};
const DELIVERY_FAULTS = {
  double: 'sends the delivery twice, with the same bytes',
  late: 'signs the delivery, then delays it',
  'out-of-order': 'sends the delivery after the following one to the same URL',
  'wrong-signature': 'sends signatures that match no secret',
};

/** One of the faults. The description lists all of them, for editors. */
function faultOf<const T extends Record<string, string>>(faults: T) {
  const words = Object.entries(faults).map(([name, effect]) => `${name}: ${effect}`);
  const names = Object.keys(faults) as [keyof T & string, ...(keyof T & string)[]];
  return described(z.enum(names), words.join('; '));
}

const RequestRule = z
  .strictObject({
    endpoint: described(
      z.optional(z.enum(Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]])),
      'The operationId in openapi.json. Default: any operation.',
    ),
    ...when,
    fault: faultOf(REQUEST_FAULTS),
    retryAfter: described(
      z.optional(count()),
      'Retry-After of refuse and fail, in seconds. Default: 1 for refuse, none for fail.',
    ),
    status: described(
      z.optional(z.int().check(z.minimum(500), z.maximum(599))),
      'Status of fail and fail-after-commit. Default: 503.',
    ),
    delayMs: described(
      z.optional(milliseconds()),
      `Delay of slow-answer, in ms. Default: ${DEFAULT_FAULT_DELAY_MS}.`,
    ),
  })
  .check(endsAfterStart());

const DeliveryRule = z
  .strictObject({
    type: described(z.optional(z.enum(EVENT_KINDS)), 'The kind of event. Default: any.'),
    ...when,
    fault: faultOf(DELIVERY_FAULTS),
    delayMs: described(
      z.optional(milliseconds()),
      `Delay of late, and maximum wait of out-of-order for the following delivery, in ms. Default: ${DEFAULT_FAULT_DELAY_MS}.`,
    ),
  })
  .check(endsAfterStart());

export const Faults = z.strictObject({
  $schema: z.optional(z.string()),
  seed: described(z.union([z.string(), z.number()]), 'The same seed gives the same faults.'),
  requests: z.optional(z.array(RequestRule).check(z.maxLength(1000))),
  deliveries: z.optional(z.array(DeliveryRule).check(z.maxLength(1000))),
});
export type Faults = z.infer<typeof Faults>;
export type RequestRule = z.infer<typeof RequestRule>;
export type DeliveryRule = z.infer<typeof DeliveryRule>;

/** The JSON schema (draft 2020-12) of a faults file, as published. */
export function faultsJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(Faults, { io: 'input' });
  return { $schema, $id: 'faults.schema.json', title: 'Faults of svc serve', ...rest };
}

/** Checks that a range does not end before it starts. */
function endsAfterStart<T extends { from?: number | undefined; to?: number | undefined }>() {
  return z.refine<T>(({ from = 1, to = Number.POSITIVE_INFINITY }) => to >= from, {
    error: 'must not end before it starts',
    path: ['to'],
  });
}
