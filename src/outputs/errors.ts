import * as z from 'zod/mini';
import { CLI_ERRORS, type CliErrorCode } from '../cli/errors/svc-error.ts';
import { about } from '../contract/parts.ts';
import { document, text, textOrNull, whole } from './fields.ts';

const CODES = Object.keys(CLI_ERRORS) as CliErrorCode[];

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
  z.object({
    error: about(
      'The failure.',
      z.object({
        code: about('What went wrong, as a name (docs/exit-codes.md).', z.enum(CODES)),
        message: text('What went wrong, in words.'),
        hint: text(
          'The next step to take, as a command where there is one. One line; ` # ` precedes each further step or note.',
        ),
        requestId: textOrNull('Identifier of the request, if the service answered.'),
        exitCode: whole('Exit code of the command.'),
      }),
    ),
  }),
);
