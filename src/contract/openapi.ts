import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { SERVICE_ERRORS, type ServiceErrorName } from './errors.ts';
import { IMPORT_RUN } from './headers.ts';
import { GROUP_LIMITS, GROUPS, MAX_BODY_BYTES, MAX_VALUES } from './limits.ts';
import { EXAMPLES, type Example } from './openapi/examples.ts';
import { DELIVERY_HEADERS, headersOf, RESPONSE_HEADERS } from './openapi/headers.ts';
import { KEYLESS_TAG, keylessPaths } from './openapi/keyless.ts';
import { type Json, Schemas } from './openapi/schemas.ts';
import { webhooksOf } from './openapi/webhooks.ts';
import { ErrorAnswer } from './schemas.ts';

const DESCRIPTION = `Track events, decide the next best action for a hashed user, show it, notify without holding personal data, and call
back with signed webhooks.

- Every request, but those under \`keyless\`, carries a server key (\`Authorization: Bearer …\`) and its workspace (\`X-Service-Workspace\`).
- An app carries a publishable key and a user token instead (\`X-Service-User-Token\`), in the two operations that take them.
- Rate limits apply per workspace and group of operations, in a sliding window of 60 seconds.
- A write may carry an \`Idempotency-Key\`: the same key and body gives the first answer again for 24 hours.
- A request body is JSON of at most ${MAX_BODY_BYTES / 1024 / 1024} MiB and ${MAX_VALUES.toLocaleString('en')} values, without fields that are not described here. It
  may be compressed with gzip.
- A response may have fields that are not described here: ignore them.
- Operations and fields with \`x-beyond-specification\` are choices of this implementation.`;

const SERVER_ACCESS = { serverKey: [], workspace: [] };

/**
 * Generates the OpenAPI 3.1 description of the service from the endpoint table, its schemas and the recorded examples.
 * Operations and fields that are not in the specification have `x-beyond-specification: true`.
 */
export function openApi(version: string): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint, schemas, EXAMPLES[name] ?? {}),
    };
  }
  const webhooks = webhooksOf(schemas, EXAMPLES);
  const errorBody = schemas.of(ErrorAnswer);
  Object.assign(paths, keylessPaths(errorBody));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Decisioning and Notification Service',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'The regional address of the workspace',
        variables: {
          base_url: { default: 'http://127.0.0.1:4010', description: 'Regional base address.' },
        },
      },
    ],
    security: [SERVER_ACCESS],
    tags: [
      ...GROUPS.map((group) => {
        const { covers, default: limit, ceiling } = GROUP_LIMITS[group];
        const description = `Rate-limit group of ${covers}: ${limit} requests per minute and workspace by default, at most ${ceiling}.`;
        return { name: group, description };
      }),
      KEYLESS_TAG,
      { name: 'deliveries', description: 'Webhook deliveries, which the service sends to subscribers.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        serverKey: { type: 'http', scheme: 'bearer', description: 'A server key of the workspace.' },
        clientKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A publishable key of the workspace. Its requests have limits of their own.',
          'x-beyond-specification': true,
        },
        userToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-User-Token',
          description: 'The token of the user for whom an app acts (`createUserToken`).',
          'x-beyond-specification': true,
        },
        workspace: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Workspace',
          description: 'Identifier of the workspace that the request acts in.',
        },
      },
      schemas: schemas.all(),
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'Makes a retry safe: the same key and body gives the first answer again for 24 hours.',
          'x-beyond-specification': true,
          schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
        },
        ImportRun: {
          name: 'X-Service-Import-Run',
          in: 'header',
          description:
            'The run of an import that sends the events, as its sender names it: they can be deleted together. Not for apps.',
          'x-beyond-specification': true,
          schema: { type: 'string', pattern: IMPORT_RUN.source },
        },
        LastEventId: {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The `id` of the last message received; the stream resumes after it.',
          'x-beyond-specification': true,
          schema: { type: 'string' },
        },
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description:
            'The `ETag` of the answer before: where the answer is the same, it is 304 without a body.',
          'x-beyond-specification': true,
          schema: { type: 'string' },
        },
        ...DELIVERY_HEADERS,
      },
      headers: RESPONSE_HEADERS,
      responses: Object.fromEntries(FAILURES.map((name) => [componentOf(name), failure(name, errorBody)])),
    },
  };
}

function operation(name: string, endpoint: Endpoint, schemas: Schemas, example: Example): Json {
  const writes = endpoint.method !== 'GET';
  const parameters = [
    ...(writes && !endpoint.storesNothing ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(endpoint.ofRuns ? [{ $ref: '#/components/parameters/ImportRun' }] : []),
    ...(endpoint.stream ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...(endpoint.tagged ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ...pathParameters(endpoint, example),
    ...queryParameters(endpoint, schemas, example),
  ];
  return {
    operationId: name,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [endpoint.group],
    ...(endpoint.forClients
      ? { security: [SERVER_ACCESS, { clientKey: [], userToken: [], workspace: [] }] }
      : {}),
    ...(endpoint.beyondSpecification ? { 'x-beyond-specification': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.request
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': content(schemas.of(endpoint.request), example.request) },
          },
        }
      : {}),
    responses: {
      [endpoint.success]: success(endpoint, schemas, example),
      ...(endpoint.tagged ? { 304: NOT_MODIFIED } : {}),
      ...failures(endpoint),
    },
  };
}

const NOT_MODIFIED: Json = {
  description: 'Nothing changed since the answer whose `ETag` the request has.',
  headers: headersOf('success', ['ETag']),
};

function content(schema: Json, example: unknown): Json {
  return { schema, ...(example === undefined ? {} : { examples: { real: { value: example } } }) };
}

function pathParameters({ path, params }: Endpoint, example: Example): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: params?.[name!],
    schema: { type: 'string', minLength: 1 },
    ...(example.params?.[name!] === undefined ? {} : { example: example.params[name!] }),
  }));
}

function queryParameters({ query }: Endpoint, schemas: Schemas, example: Example): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.of(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(example.query?.[name] === undefined ? {} : { example: typed(schema, example.query[name]) }),
  }));
}

/** The value of a query parameter, which is recorded as text, as its schema has it. */
const typed = ({ type }: Json, text: unknown) => (type === 'integer' ? Number(text) : text);

function success(endpoint: Endpoint, schemas: Schemas, example: Example): Json {
  const response = {
    description: endpoint.summary,
    headers: headersOf(endpoint.method === 'GET' ? 'success' : 'write', endpoint.tagged ? ['ETag'] : []),
  };
  if (endpoint.stream && endpoint.answer) {
    const schema = {
      type: 'string',
      description:
        'Server-sent events (WHATWG HTML, 9.2). A message has `id`, `event` and `data`, whose content the schema describes; one without `data` only moves the `id`.',
      contentMediaType: 'application/json',
      contentSchema: schemas.of(endpoint.answer),
    };
    return { ...response, content: { 'text/event-stream': content(schema, example.response) } };
  }
  if (!endpoint.answer) return response;
  return {
    ...response,
    content: { 'application/json': content(schemas.of(endpoint.answer), example.response) },
  };
}

/** The errors that operations answer: a request that is for no operation has none. */
const FAILURES = (Object.keys(SERVICE_ERRORS) as ServiceErrorName[]).filter(
  (name) => name !== 'method_not_allowed',
);

/** Errors that are found before a request is counted. */
const UNCOUNTED: readonly ServiceErrorName[] = ['unauthorized', 'forbidden'];

const MORE_HEADERS: { readonly [N in ServiceErrorName]?: readonly string[] } = {
  unauthorized: ['WWW-Authenticate'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** `rate_limited` is the component `RateLimited`. */
const componentOf = (name: ServiceErrorName) =>
  name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

function failure(name: ServiceErrorName, schema: Json): Json {
  const { message } = SERVICE_ERRORS[name];
  const body = EXAMPLES[name]?.response ?? {
    error: name,
    code: name.toUpperCase(),
    requestId: 'req_4a0880c347f9270e2986a796363751',
    message,
  };
  return {
    description: message,
    headers: headersOf(UNCOUNTED.includes(name) ? 'uncounted' : 'counted', MORE_HEADERS[name]),
    content: { 'application/json': { schema, examples: { [name]: { value: body } } } },
  };
}

function failures(endpoint: Endpoint): Json {
  const reads = endpoint.method === 'GET';
  const possible = FAILURES.filter((name) => {
    if (name === 'not_found') return endpoint.missing !== undefined;
    return !reads || !['conflict', 'payload_too_large', 'unsupported_media_type'].includes(name);
  });
  return Object.fromEntries(
    possible.map((name) => [
      SERVICE_ERRORS[name].status,
      {
        $ref: `#/components/responses/${componentOf(name)}`,
        // In OpenAPI 3.1, a description beside a reference replaces the one of its target.
        ...(name === 'not_found' ? { description: endpoint.missing } : {}),
      },
    ]),
  );
}
