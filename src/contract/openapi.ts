import * as z from 'zod/mini';
import { ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.ts';
import { SERVICE_ERRORS } from './errors.ts';
import { HEADERS } from './headers.ts';
import { annotations } from './parts.ts';
import { ErrorAnswer } from './schemas.ts';

type Json = Record<string, unknown>;

/**
 * Generates the OpenAPI 3.1 description of the service from the endpoint table and its schemas. Operations and fields that
 * are not in the specification have `x-beyond-specification: true`.
 */
export function openApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Decisioning and Notification Service',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://127.0.0.1:4010' } } }],
    security: [{ serverKey: [] }],
    paths,
    components: {
      securitySchemes: { serverKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schema(ErrorAnswer) },
      parameters: {
        Workspace: { name: 'X-Service-Workspace', in: 'header', required: true, schema: { type: 'string' } },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          'x-beyond-specification': true,
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      headers: Object.fromEntries(
        (['limit', 'remaining', 'reset'] as const).map((key) => [
          HEADERS[key],
          { schema: { type: 'integer' } },
        ]),
      ),
    },
  };
}

/** Returns the JSON Schema of the answer to an operation; any value where it has no body. */
export function answerSchema(name: EndpointName): Json {
  const { answer }: Endpoint = ENDPOINTS[name];
  return answer ? schema(answer) : {};
}

function operation(name: string, endpoint: Endpoint): Json {
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.group],
    ...(endpoint.beyondSpecification ? { 'x-beyond-specification': true } : {}),
    parameters: [
      { $ref: '#/components/parameters/Workspace' },
      ...(endpoint.method === 'GET' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
      ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
        name: match[1],
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...queryParameters(endpoint),
    ],
    ...(endpoint.request
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schema(endpoint.request, 'input') } },
          },
        }
      : {}),
    responses: { [endpoint.success]: success(endpoint), ...failures(endpoint) },
  };
}

function queryParameters(endpoint: Endpoint): Json[] {
  if (!endpoint.query) return [];
  const { properties = {}, required = [] } = schema(endpoint.query, 'input') as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: value,
  }));
}

function success(endpoint: Endpoint): Json {
  const headers = Object.fromEntries(
    (['limit', 'remaining', 'reset'] as const).map((key) => [
      HEADERS[key],
      { $ref: `#/components/headers/${HEADERS[key]}` },
    ]),
  );
  if (endpoint.stream)
    return { description: endpoint.summary, headers, content: { 'text/event-stream': {} } };
  if (!endpoint.answer) return { description: endpoint.summary, headers };
  return {
    description: endpoint.summary,
    headers,
    content: { 'application/json': { schema: schema(endpoint.answer) } },
  };
}

function failures(endpoint: Endpoint): Json {
  const possible = Object.values(SERVICE_ERRORS).filter(({ status }) => {
    if (endpoint.method === 'GET') return ![409, 413, 415].includes(status);
    return true;
  });
  return Object.fromEntries(
    [...new Set(possible.map(({ status }) => status))].map((status) => [
      status,
      {
        description: possible.find((error) => error.status === status)!.message,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function schema(of: z.ZodMiniType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(of, {
    io,
    metadata: annotations,
    unrepresentable: 'any',
  }) as Json;
  return rest;
}
