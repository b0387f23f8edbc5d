/**
 * The file of `svc serve --faults`: what shall go wrong, and when (docs/rehearsal.md). The JSON schema in
 * `docs/faults.schema.json` is made from this.
 */
import * as z from 'zod/mini';
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts';
import { EVENT_KINDS } from '../../contract/schemas.ts';

const count = () => z.int().check(z.minimum(0), z.maximum(1_000_000));
const milliseconds = () => z.int().check(z.minimum(0), z.maximum(600_000));

function described<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** When a rule applies, counted over the requests or deliveries that it matches, from 1. */
const when = {
  from: described(
    z.optional(z.int().check(z.minimum(1))),
    'the first one that the rule can hit; 1 unless given',
  ),
  to: described(z.optional(z.int().check(z.minimum(1))), 'the last one; without end unless given'),
  every: described(
    z.optional(z.int().check(z.minimum(1))),
    'the length of a cycle: hits begin again each so many; 1 unless given',
  ),
  burst: described(
    z.optional(z.int().check(z.minimum(1))),
    'how many at the start of each cycle; 1 unless given',
  ),
  chance: described(
    z.optional(z.number().check(z.gt(0), z.maximum(1))),
    'the part of those that is really hit, by the seed; 1 unless given',
  ),
};

const REQUEST_FAULTS = {
  refuse: 'answered 429 with Retry-After, nothing is done',
  fail: 'answered with a 5xx, nothing is done',
  'fail-after-commit': 'carried out, then answered with a 5xx',
  'lose-answer': 'carried out, then the connection is closed without an answer',
  'slow-answer': 'carried out, the answer comes later',
  'cut-answer': 'carried out, half of the answer comes, then the connection is closed',
};
const DELIVERY_FAULTS = {
  double: 'sent twice, the same bytes',
  late: 'sent later, signed before',
  'out-of-order': 'sent after one that comes behind it',
  'wrong-signature': 'signed so that it fits no secret',
};

/** One of the faults, described all together: an editor shows it beside the choice. */
function faultOf<const T extends Record<string, string>>(faults: T) {
  const words = Object.entries(faults).map(([name, what]) => `${name}: ${what}`);
  const names = Object.keys(faults) as [keyof T & string, ...(keyof T & string)[]];
  return described(z.enum(names), words.join('; '));
}

const RequestRule = z
  .strictObject({
    endpoint: described(
      z.optional(z.enum(Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]])),
      'the operation, by its operationId in openapi.json; any unless given',
    ),
    ...when,
    fault: faultOf(REQUEST_FAULTS),
    retryAfter: described(
      z.optional(count()),
      'of refuse and fail: seconds in Retry-After; 1 for refuse, none for fail',
    ),
    status: described(
      z.optional(z.int().check(z.minimum(500), z.maximum(599))),
      'of fail and fail-after-commit; 503',
    ),
    delayMs: described(z.optional(milliseconds()), 'of slow-answer: how long the answer is held back; 2000'),
  })
  .check(endsAfterStart());

const DeliveryRule = z
  .strictObject({
    type: described(z.optional(z.enum(EVENT_KINDS)), 'the kind of event; any unless given'),
    ...when,
    fault: faultOf(DELIVERY_FAULTS),
    delayMs: described(
      z.optional(milliseconds()),
      'of late: how long it is held back, 2000; of out-of-order: how long it waits for one to pass it, 2000',
    ),
  })
  .check(endsAfterStart());

export const Faults = z.strictObject({
  $schema: z.optional(z.string()),
  seed: described(z.union([z.string(), z.number()]), 'the same seed gives the same run'),
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

/** The two rules share this: a range must not end before it starts. */
function endsAfterStart<T extends { from?: number | undefined; to?: number | undefined }>() {
  return z.refine<T>(({ from = 1, to = Number.POSITIVE_INFINITY }) => to >= from, {
    error: 'must not end before it starts',
    path: ['to'],
  });
}
