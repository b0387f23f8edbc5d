import { FEATURES, HEADERS } from '../headers.ts';
import { UNLIMITED } from '../limits.ts';
import type { Json } from './schemas.ts';

const integer = (description: string, more: Json = {}): Json => ({
  description,
  schema: { type: 'integer', minimum: 0, ...more },
});

/** The headers of responses, by the name that the document gives them. */
export const RESPONSE_HEADERS: Readonly<Record<string, Json>> = {
  'X-Service-Request-Id': {
    description: 'Identifier of the request.',
    'x-beyond-specification': true,
    required: true,
    schema: { type: 'string' },
    example: 'req_4a0880c347f9270e2986a796363751',
  },
  'X-Service-RateLimit-Limit': integer(
    `The limit in force, in requests per minute and workspace; ${UNLIMITED} if there is none. In every successful response.`,
    { examples: [600] },
  ),
  'X-Service-RateLimit-Remaining': integer(
    `Requests left in the window; ${UNLIMITED} if there is no limit. In every successful response.`,
    { examples: [599] },
  ),
  'X-Service-RateLimit-Reset': integer(
    'The Unix second in which the oldest counted request leaves the window; the current second if there is no limit. In every successful response.',
    { examples: [1767225660] },
  ),
  'X-Service-Region': {
    description:
      'The region that answered, or `global` if the workspace belongs to another region. Only of a service that serves a region.',
    'x-beyond-specification': true,
    schema: { type: 'string' },
    example: 'eu',
  },
  'X-Service-Mode': {
    description:
      'The mode of the workspace. Notifications of a `test` workspace are written to the outbox: no provider is called. In every response to a request whose key was accepted.',
    'x-beyond-specification': true,
    schema: { type: 'string', enum: ['live', 'test'] },
  },
  'X-Service-Features': {
    description:
      'What the service takes beyond the specification, separated by commas. `eventId`: events may have one. `importRun`: the header `X-Service-Import-Run` is kept. In every response to a request whose key was accepted.',
    'x-beyond-specification': true,
    schema: { type: 'string' },
    example: FEATURES,
  },
  'Retry-After': { ...integer('Seconds to wait before a retry.', { examples: [12] }), required: true },
  'Idempotent-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same idempotency key.',
    'x-beyond-specification': true,
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description: 'Stands for the answer: another answer has another one.',
    'x-beyond-specification': true,
    required: true,
    schema: { type: 'string' },
    example: '"47DEQpj8HBSa-_TImW-5JC"',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    'x-beyond-specification': true,
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
  },
};

const RATE_LIMIT = [
  'X-Service-RateLimit-Limit',
  'X-Service-RateLimit-Remaining',
  'X-Service-RateLimit-Reset',
];

/** References to the headers of a response. Rate-limit headers are in every response to a request that was counted. */
export function headersOf(
  response: 'success' | 'write' | 'counted' | 'uncounted',
  more: readonly string[] = [],
): Json {
  const names = [
    'X-Service-Request-Id',
    'X-Service-Region',
    'X-Service-Mode',
    'X-Service-Features',
    ...(response === 'uncounted' ? [] : RATE_LIMIT),
    ...(response === 'write' ? ['Idempotent-Replayed'] : []),
    ...more,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of webhook deliveries as parameters, by the name that the document gives them. */
export const DELIVERY_HEADERS: Readonly<Record<string, Json>> = {
  Signature: header(
    'X-Service-Signature',
    'Lowercase hex HMAC-SHA-256 of the raw body, keyed with the signing secret (its UTF-8 bytes).',
    { pattern: '^[0-9a-f]{64}$' },
    false,
  ),
  WebhookId: header(
    HEADERS.webhookId,
    'Identifier of the delivery, the same in each attempt (Standard Webhooks).',
    {},
  ),
  WebhookTimestamp: header(HEADERS.webhookTimestamp, 'Unix second of the attempt (Standard Webhooks).', {
    pattern: '^\\d+$',
  }),
  WebhookSignature: header(
    HEADERS.webhookSignature,
    '`v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`, keyed with the UTF-8 bytes of the signing secret (Standard Webhooks). During a rotation one for each secret, separated by a space.',
    { pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
  ),
};

function header(name: string, description: string, schema: Json, beyond = true): Json {
  return {
    name,
    in: 'header',
    required: true,
    description,
    ...(beyond ? { 'x-beyond-specification': true } : {}),
    schema: { type: 'string', ...schema },
  };
}
