import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { CommandError } from './errors.ts';

/** A line of a command with `--input`, or its only answer. */
export function batchOf(answer: z.ZodMiniType) {
  const request = about('The request, as it was sent.', z.looseObject({}));
  return z.union([
    answer,
    z.object({ request, response: answer }),
    z.object({
      request: about('The request; the line as text if it is not one.', z.unknown()),
      accepted: about(
        'Whether the service accepted the request before the line failed; null where that is not known. Only of a request with side effects.',
        z.optional(z.nullable(z.boolean())),
      ),
      error: CommandError,
    }),
  ]);
}
