import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { document, text, textOrNull, whole } from './fields.ts';

export const CommandError = about(
  'A failure.',
  z.object({
    code: text('What went wrong, as a name (docs/exit-codes.md).'),
    message: text('What went wrong, in words.'),
    hint: about('The next step to take.', z.optional(z.nullable(z.string()))),
    requestId: z.optional(textOrNull('Identifier of the request, if the service answered.')),
    exitCode: z.optional(whole('Exit code of the command.')),
    details: z.optional(about('The problems that the service named.', z.array(z.looseObject({})))),
  }),
);

/** What a failure prints to stderr under `--json`. */
export const ERROR_OUTPUT = document(
  'What a command that fails prints to stderr with --json, as the last line.',
  z.object({ error: CommandError }),
);
