import { SERVICE_ERRORS, type ServiceErrorName } from '../errors.ts';
import type { Json } from './schemas.ts';

/** The tag of the operations that take no key. */
export const KEYLESS_TAG = {
  name: 'keyless',
  description:
    'Called without a key: by providers, whose signature is checked, and by mail programs with a sealed link.',
};

const REQUEST_ID = { 'X-Service-Request-Id': { $ref: '#/components/headers/X-Service-Request-Id' } };
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

const parameter = (name: string, where: 'path' | 'query', description: string): Json => ({
  name,
  in: where,
  required: true,
  description,
  schema: { type: 'string', minLength: 1 },
});

const ONE_CLICK: Json = {
  type: 'object',
  required: ['List-Unsubscribe'],
  properties: { 'List-Unsubscribe': { const: 'One-Click', description: 'As RFC 8058 says.' } },
};

/** The paths of the operations that take no key: they are for no client, and so not in the endpoint table. */
export function keylessPaths(errorBody: Json): Record<string, Json> {
  const errors = (
    described: { readonly [N in ServiceErrorName]?: string },
    common: readonly ServiceErrorName[] = ['rate_limited', 'internal', 'unavailable'],
  ): Json =>
    Object.fromEntries(
      [...new Set([...(Object.keys(described) as ServiceErrorName[]), ...common])].map((name) => [
        SERVICE_ERRORS[name].status,
        {
          description: described[name] ?? SERVICE_ERRORS[name].message,
          headers: {
            ...REQUEST_ID,
            ...(['rate_limited', 'unavailable'].includes(name) ? RETRY_AFTER : {}),
          },
          content: { 'application/json': { schema: errorBody } },
        },
      ]),
    );
  const keyless = { tags: [KEYLESS_TAG.name], security: [], 'x-beyond-specification': true };
  const page = (description: string) => ({
    description,
    content: { 'text/html': { schema: { type: 'string' } } },
  });
  const receiver = [
    parameter('workspace', 'path', 'Identifier of the workspace that sent the messages.'),
    parameter('provider', 'path', 'Name of the provider.'),
  ];
  const link = [parameter('token', 'path', 'The sealed part of the link of an e-mail.')];
  const unknownLink = 'This is not a link of this service.';
  return {
    '/v1/inform/receipts/{workspace}/{provider}': {
      get: {
        ...keyless,
        operationId: 'confirmReceipts',
        summary: 'Confirm the address for receipts to a provider',
        description:
          'The challenge of Meta: answers `hub.challenge` if the verify token is the configured one.',
        parameters: [
          ...receiver,
          parameter('hub.mode', 'query', '`subscribe`.'),
          parameter('hub.verify_token', 'query', 'The verify token that the operator gave the provider.'),
          parameter('hub.challenge', 'query', 'The text to answer.'),
        ],
        responses: {
          200: {
            description: 'The challenge.',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
          ...errors({
            forbidden: 'The verify token does not match, or there is no such provider or workspace.',
            method_not_allowed: 'The provider has no challenge.',
          }),
        },
      },
      post: {
        ...keyless,
        operationId: 'takeReceipt',
        summary: 'Take receipts of a provider',
        description:
          'In the form and with the signature of the provider. A receipt settles the state of a notification; a STOP, a complaint or a bounce acts on the address.',
        parameters: receiver,
        requestBody: {
          required: true,
          description: 'As the provider sends it.',
          content: {
            'application/json': { schema: {} },
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
          },
        },
        responses: {
          200: {
            description: 'Taken; the body, if any, is what the provider expects.',
            content: { '*/*': { schema: { type: 'string' } } },
          },
          ...errors({
            invalid_request: 'The body is not what the provider sends.',
            unauthorized:
              'The signature does not fit the receipt, or there is no such provider or workspace.',
            payload_too_large: 'The receipt is too large, or has too many events.',
          }),
        },
      },
    },
    '/v1/inform/unsubscribe/{token}': {
      get: {
        ...keyless,
        operationId: 'showUnsubscribe',
        summary: 'The page of a link that unsubscribes',
        description: 'Shows a button and changes nothing: programs follow links that nobody clicked.',
        parameters: link,
        responses: { 200: page('The page.'), ...errors({ not_found: unknownLink }) },
      },
      post: {
        ...keyless,
        operationId: 'unsubscribe',
        summary: 'Unsubscribe with one click (RFC 8058)',
        description:
          'Opts the user of the link out of the category of its e-mail, or of all marketing by e-mail where it has none.',
        parameters: link,
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': { schema: ONE_CLICK },
            'application/x-www-form-urlencoded': { schema: ONE_CLICK },
          },
        },
        responses: {
          200: page('The user is unsubscribed.'),
          ...errors({
            invalid_request: 'The body is not `List-Unsubscribe=One-Click`.',
            not_found: unknownLink,
            payload_too_large: 'The body is too large.',
          }),
        },
      },
    },
  };
}
