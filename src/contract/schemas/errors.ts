import * as z from 'zod/mini';
import { about, beyond, named } from '../parts.ts';

export const ErrorDetail = named(
  'ErrorDetail',
  'A problem of the request.',
  beyond(
    z.object({
      index: about('Position in the batch, from 0.', z.optional(z.int())),
      field: about('Name of the field, its parts separated by dots.', z.string()),
      message: about('What is wrong, in words.', z.string()),
    }),
  ),
);

export const ErrorAnswer = named(
  'Error',
  'The body of every response that is not a success.',
  z.object({
    error: about('Name of the error, such as `rate_limited`.', z.string()),
    code: about('The same in upper case, such as `RATE_LIMITED`.', z.string()),
    requestId: about('Identifier of the request.', z.string()),
    message: beyond(about('What happened, in words.', z.string())),
    details: beyond(about('The problems of a request that is not valid.', z.optional(z.array(ErrorDetail)))),
  }),
);
