import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { EVENT_KINDS } from '../../../src/contract/event-kind-names.ts';
import {
  DOCUMENT,
  headersOf,
  type Json,
  KEYLESS,
  OPERATIONS,
  resolved,
  responseOf,
} from '../../support/openapi/document.ts';
import { ROOT } from '../../support/process/run-svc.ts';

/** Calls `visit` for a schema and every schema within it, with its path. */
function eachSchema(schema: Json, path: string, visit: (schema: Json, path: string) => void): void {
  visit(schema, path);
  const { properties = {}, items, additionalProperties, contentSchema, anyOf = [], allOf = [] } = schema;
  for (const [name, inner] of Object.entries(properties as Record<string, Json>))
    eachSchema(inner, `${path}.${name}`, visit);
  for (const inner of [items, additionalProperties, contentSchema, ...[anyOf, allOf].flat()])
    if (typeof inner === 'object' && inner !== null) eachSchema(inner as Json, `${path}[]`, visit);
}

const schemas = DOCUMENT.components.schemas!;

/** Names of the schemas that a value refers to, also indirectly. */
function referredTo(value: unknown, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(value ?? null).matchAll(/#\/components\/schemas\/(\w+)/g))
    if (!found.has(name!)) referredTo(schemas[name!], found.add(name!));
  return found;
}

const all = [...OPERATIONS.values()];
const requests = referredTo(all.map(({ requestBody }) => requestBody));
const answers = referredTo(all.map(({ responses }) => Object.values(responses).map(resolved)));

describe('the API description', () => {
  it('passes the recommended rules of Redocly', async () => {
    const lint = promisify(execFile)(
      process.execPath,
      [
        join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'),
        ...['lint', '--format=json', '--extends=recommended', join(ROOT, 'openapi.json')],
      ],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    const { stdout } = await lint.catch((error: { stdout: string }) => error);
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('describes every operation, parameter, header, response and field', () => {
    const missing: string[] = [];
    const check = (value: Json, path: string) => {
      if (typeof resolved(value).description !== 'string' && typeof value.description !== 'string')
        missing.push(path);
    };
    expect(OPERATIONS.size).toBe(Object.keys(ENDPOINTS).length);
    const deliveries = Object.values(DOCUMENT.webhooks).map(({ post }) => post);
    for (const operation of [...all, ...KEYLESS.values(), ...deliveries]) {
      const { operationId, parameters = [], responses } = operation;
      check(operation as unknown as Json, operationId);
      for (const parameter of parameters) check(parameter, `${operationId} ${resolved(parameter).name}`);
      for (const [status, response] of Object.entries(responses)) check(response, `${operationId} ${status}`);
    }
    for (const [name, header] of Object.entries(DOCUMENT.components.headers!)) check(header, name);
    for (const [name, schema] of Object.entries(schemas)) {
      check(schema, name);
      eachSchema(schema, name, ({ properties }, path) => {
        const fields = Object.entries((properties ?? {}) as Record<string, Json>);
        for (const [field, inner] of fields) if (!('const' in inner)) check(inner, `${path}.${field}`);
      });
    }
    expect(missing).toEqual([]);
  });

  it('names every schema of a body, and closes requests but no answer', () => {
    for (const { requestBody } of all)
      if (requestBody) expect(requestBody.content['application/json']!.schema).toHaveProperty('$ref');
    expect(requests.size).toBeGreaterThan(9);
    expect(answers.size).toBeGreaterThan(20);
    const closed = (name: string) => {
      const found: string[] = [];
      eachSchema(schemas[name]!, name, (schema, path) => {
        if (schema.type === 'object' && schema.additionalProperties === false) found.push(path);
      });
      return found;
    };
    expect([...answers].flatMap(closed)).toEqual([]);
    const objects = [...requests].filter((name) => schemas[name]!.type === 'object');
    expect(objects.filter((name) => closed(name).length === 0)).toEqual(['DecisionContext']);
  });

  it('takes the workspace as a security scheme beside the key, and in no parameter', () => {
    const { security, components } = DOCUMENT as unknown as { security: unknown; components: Json };
    expect(security).toEqual([{ serverKey: [], workspace: [] }]);
    expect(components.securitySchemes).toMatchObject({
      serverKey: { type: 'http', scheme: 'bearer' },
      workspace: { type: 'apiKey', in: 'header', name: 'X-Service-Workspace' },
    });
    const names = all.flatMap(({ parameters = [] }) => parameters.map((one) => resolved(one).name));
    expect(names).not.toContain('X-Service-Workspace');
  });

  it('has the headers of every response', () => {
    const limits = [
      'X-Service-RateLimit-Limit',
      'X-Service-RateLimit-Remaining',
      'X-Service-RateLimit-Reset',
    ];
    for (const operation of all) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        const names = headersOf(responseOf(operation, status)).map(([name]) => name);
        expect(names, `${operation.operationId} ${status}`).toContain('X-Service-Request-Id');
        if (![401, 403].includes(status)) expect(names).toEqual(expect.arrayContaining(limits));
        if ([429, 503].includes(status)) expect(names).toContain('Retry-After');
      }
    }
  });

  it('has a webhook for each kind, with its body and both forms of signature', () => {
    expect(Object.keys(DOCUMENT.webhooks)).toEqual([...EVENT_KINDS]);
    for (const [kind, { post }] of Object.entries(DOCUMENT.webhooks)) {
      const headers = (post.parameters ?? []).map((parameter) => resolved(parameter).name);
      expect(headers).toEqual([
        'X-Service-Signature',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      const { schema } = post.requestBody!.content['application/json']!;
      expect(JSON.stringify(resolved(schema))).toContain(`{"const":"${kind}"}`);
    }
  });

  it('describes the live event stream', () => {
    const { content } = responseOf(OPERATIONS.get('streamEvents')!, 200);
    expect(Object.keys(content!)).toEqual(['text/event-stream']);
    expect(content!['text/event-stream']!.schema).toMatchObject({
      type: 'string',
      contentSchema: { $ref: '#/components/schemas/StreamedEvent' },
    });
  });
});
