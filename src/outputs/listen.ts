import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { flag, number, text, textOrNull, time, whole, wholeOrNull } from './fields.ts';

const fix = about(
  'The line that fixes the mistake, by language.',
  z.object({ node: text('In Node.js.'), python: text('In Python.'), go: text('In Go.') }),
);
const Diagnosis = about(
  'The known mistake that explains a signature that does not match.',
  z.looseObject({
    name: text('Name of the mistake; `unknown` if none explains it.'),
    summary: text('The mistake, in words.'),
    fix: z.optional(fix),
    also: z.optional(about('Further mistakes that were made at once.', z.array(z.unknown()))),
  }),
);

/** A line of `svc webhooks listen`. */
export const ListenOutput = z.union([
  z.object({
    type: about('Deliveries can arrive.', z.literal('ready')),
    url: text('Where the listener is.'),
    subscription: z.optional(about('The subscription that was made.', z.looseObject({}))),
  }),
  z.object({
    type: about('A delivery whose signature matches.', z.literal('event')),
    receivedAt: time('When it arrived.'),
    verified: flag('Always true.'),
    duplicate: flag('True for a delivery seen before.'),
    headers: about('Headers of the delivery.', z.record(z.string(), z.unknown())),
    body: about('The body: JSON as it came, or text; null if it is not UTF-8.', z.unknown()),
    bodyBase64: z.optional(text('The bytes of a body that is not UTF-8.')),
    forwarded: z.optional(
      about(
        'How the target of --forward-to answered.',
        z.looseObject({
          url: text('The target.'),
          status: whole('Its status; 502 where it does not answer, 504 where it does not answer in time.'),
          ok: flag('True if it accepted the delivery (200 to 299).'),
          durationMs: number('Milliseconds until the answer.'),
          error: z.optional(text('Why there is no answer.')),
        }),
      ),
    ),
  }),
  z.object({
    type: about('A request that was not accepted.', z.literal('rejected')),
    receivedAt: time('When it arrived.'),
    reason: text('Why.'),
    diagnosis: about('What explains it; null if there is no signature to diagnose.', z.nullable(Diagnosis)),
  }),
]);

export const VerifyOutput = z.object({
  verified: flag('True if the signature matches.'),
  secret: z.optional(textOrNull('Whose secret matches.')),
  reason: z.optional(text('Why the signature is not accepted.')),
  diagnosis: z.optional(Diagnosis),
});

export const ConformanceOutput = z.object({
  url: text('The handler.'),
  passed: number('Rows that passed.'),
  failed: number('Rows that failed.'),
  rows: about(
    'The deliveries that were tried.',
    z.array(
      z.object({
        name: text('Name of the row.'),
        tries: text('What it tries, in words.'),
        passed: flag('True if the handler answered as expected.'),
        expected: about('The status that is expected.', z.enum(['2xx', '401'])),
        status: wholeOrNull('The status of the answer; null if there was none.'),
        durationMs: number('How long it took, in ms.'),
        why: z.optional(text('Why the row failed.')),
        mistake: z.optional(text('The known mistake that the handler makes.')),
        fix: z.optional(fix),
      }),
    ),
  ),
});

export const SendOutput = z.object({
  deliveryId: text('Identifier of the delivery.'),
  kind: text('Kind of event.'),
  url: text('The handler.'),
  status: wholeOrNull('Status of its answer.'),
  durationMs: number('How long it took, in ms.'),
  body: text('Body of its answer.'),
});

export const ReplayOutput = z.object({
  receivedAt: time('When the delivery was recorded.'),
  kind: textOrNull('Kind of event; null if the body does not say.'),
  status: wholeOrNull('Status of the answer; null if there was none.'),
  durationMs: number('How long it took, in ms.'),
  error: z.optional(text('Why there was no answer.')),
});
