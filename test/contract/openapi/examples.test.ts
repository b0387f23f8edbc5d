import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { EVENT_KINDS } from '../../../src/contract/event-kind-names.ts';
import { EXAMPLES, type Example } from '../../../src/contract/openapi/examples.ts';
import {
  DOCUMENT,
  headersOf,
  type Json,
  OPERATIONS,
  resolved,
  responseOf,
  Validator,
} from '../../support/openapi/document.ts';
import { recordExamples } from '../../support/openapi/record-examples.ts';
import { startTestService } from '../../support/process/service.ts';

/** Also refuses fields that are not described. */
const strict = new Validator({ strict: true });

/** The data of the messages of a stream. */
const dataOf = (stream: unknown) =>
  [...String(stream).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Json);

function checkBodies(name: string, { request, response }: Example): void {
  const operation = OPERATIONS.get(name)!;
  const body = operation.requestBody?.content['application/json']?.schema;
  expect(request !== undefined, name).toBe(body !== undefined);
  if (body) expect(strict.errors(body, request), `the request of ${name}`).toBe('');
  const { content } = responseOf(operation, ENDPOINTS[name as keyof typeof ENDPOINTS].success);
  const stream = content?.['text/event-stream']?.schema;
  if (stream) {
    const messages = dataOf(response);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages)
      expect(strict.errors(stream.contentSchema as Json, message), name).toBe('');
    return;
  }
  const schema = content?.['application/json']?.schema;
  expect(response !== undefined, name).toBe(schema !== undefined);
  if (schema) expect(strict.errors(schema, response), `the answer of ${name}`).toBe('');
}

it('the examples of the description are valid, and every operation and delivery has one', () => {
  for (const name of OPERATIONS.keys()) checkBodies(name, EXAMPLES[name] ?? {});
  for (const kind of EVENT_KINDS) {
    const { examples } = DOCUMENT.webhooks[kind]!.post.requestBody!.content['application/json']!;
    const [example] = Object.values(examples as Record<string, { value: { type: string } }>);
    expect(example!.value.type).toBe(kind);
    const { allOf } = resolved(
      DOCUMENT.webhooks[kind]!.post.requestBody!.content['application/json']!.schema,
    ) as {
      allOf: Json[];
    };
    expect(strict.errors(allOf[0]!, example!.value), kind).toBe('');
  }
  const text = JSON.stringify(DOCUMENT);
  for (const name of OPERATIONS.keys()) {
    const { response, params, query } = EXAMPLES[name] ?? {};
    if (response !== undefined) expect(text).toContain(JSON.stringify(response));
    // A number is text in a query, and a number in the document.
    for (const value of Object.values({ ...params, ...query }))
      expect([value, Number(value)].some((one) => text.includes(`"example":${JSON.stringify(one)}`))).toBe(
        true,
      );
  }
});

it('what the service answers now is as described: bodies, headers and errors', async () => {
  const limits = { ingest: 600, inform: 300, decisions: 600, reads: 60, webhooks: 30 };
  const service = await startTestService({ limits, allowLoopbackWebhooks: true, testClock: true });
  const recorded = await recordExamples(service);
  for (const [name, operation] of OPERATIONS) {
    const { status, headers, ...example } = recorded[name]!;
    checkBodies(name, example);
    checkHeaders(name, headersOf(responseOf(operation, status)), headers);
  }
  const errors = Object.entries(recorded).filter(([name]) => !OPERATIONS.has(name) && !name.includes('.'));
  expect(errors.map(([name]) => name).sort()).toEqual([
    'conflict',
    'forbidden',
    'invalid_request',
    'not_found',
    'payload_too_large',
    'rate_limited',
    'unauthorized',
    'unsupported_media_type',
  ]);
  for (const [name, { status, headers, response }] of errors) {
    const described = responseOf(OPERATIONS.get('trigger')!, status);
    expect(strict.errors(described.content!['application/json']!.schema, response), name).toBe('');
    checkHeaders(name, headersOf(described), headers);
  }
  for (const kind of EVENT_KINDS) {
    if (!recorded[kind]) continue;
    const { request, headers } = recorded[kind];
    const { parameters = [], requestBody } = DOCUMENT.webhooks[kind]!.post;
    const { schema } = requestBody!.content['application/json']!;
    const { allOf } = resolved(schema) as { allOf: [Json, Json] };
    for (const part of allOf) expect(new Validator().errors(part, request), kind).toBe('');
    expect(strict.errors(allOf[0], request), kind).toBe('');
    const described = parameters.map(resolved) as unknown as { name: string; schema: Json }[];
    for (const { name, schema } of described)
      expect(strict.errors(schema, headers[name.toLowerCase()]), `${kind} ${name}`).toBe('');
  }
});

/** Checks required headers and the values of all that are described. Rate limits must be in force. */
function checkHeaders(
  name: string,
  described: ReturnType<typeof headersOf>,
  actual: Readonly<Record<string, string>>,
): void {
  for (const [header, { required, schema }] of described) {
    const value = actual[header.toLowerCase()];
    if (value === undefined) {
      expect(required, `${name} has no ${header}`).toBeUndefined();
      continue;
    }
    const parsed = schema.type === 'integer' ? Number(value) : value;
    expect(strict.errors(schema, parsed), `${name} ${header}: ${value}`).toBe('');
  }
  const known = new Set(described.map(([header]) => header.toLowerCase()));
  const own = Object.keys(actual).filter((header) => header.startsWith('x-service-') && !known.has(header));
  expect(own, name).toEqual([]);
}
