import { CLI_ERRORS } from '../../cli/errors/svc-error.ts';
import type { JsonSchema } from './shape.ts';

/** The JSON Schema of what a failure prints on stderr under --json (docs/error.schema.json). */
export function errorSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What svc prints on stderr under --json when it fails',
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: {
            oneOf: Object.entries(CLI_ERRORS).map(([code, { exit, means }]) => ({
              const: code,
              description: `${means} (exit code ${exit})`,
            })),
          },
          message: { type: 'string', description: 'what happened, in words' },
          hint: { type: 'string', description: 'the next step, as a command where there is one' },
          requestId: { type: ['string', 'null'], description: 'the request, as the service names it' },
          exitCode: { type: 'integer', minimum: 1, maximum: 255 },
        },
        required: ['code', 'message', 'hint', 'requestId', 'exitCode'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  };
}
