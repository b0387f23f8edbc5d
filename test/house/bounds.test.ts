import { expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint } from '../../src/contract/endpoints.ts';
import { catalogJsonSchema } from '../../src/service/catalog/schema.ts';
import { DOCUMENT, type Json, resolved } from '../support/openapi/document.ts';

/** Returns the places in a JSON schema where a value has no bound. */
function unbounded(given: Json, path: string): string[] {
  const schema = resolved(given);
  const below = (name: string, at: string) => {
    const inner = schema[name];
    if (Array.isArray(inner)) return inner.flatMap((each, i) => unbounded(each, `${path}${at}|${i}`));
    return typeof inner === 'object' && inner !== null ? unbounded(inner as Json, path + at) : [];
  };
  const faults = [...below('anyOf', ''), ...below('oneOf', ''), ...below('allOf', '')];
  const types = [schema.type].flat();
  if (types.includes('string') && !('enum' in schema || 'const' in schema || 'maxLength' in schema))
    faults.push(`${path}: a string of any length`);
  if (schema.type === 'array') {
    if (!('maxItems' in schema)) faults.push(`${path}: an array of any length`);
    faults.push(...below('items', '[]'));
  }
  if (schema.type === 'object') {
    for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
      faults.push(...unbounded(inner, `${path}.${name}`));
    if (schema.additionalProperties !== false) {
      if (!('maxProperties' in schema)) faults.push(`${path}: an object of any size`);
      if (!('propertyNames' in schema)) faults.push(`${path}: names of any length`);
      faults.push(...below('propertyNames', ' (name)'), ...below('additionalProperties', '.*'));
    }
  }
  return faults;
}

it('finds values without a bound', () => {
  const open = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } };
  expect(unbounded({ type: 'object', properties: { a: open }, additionalProperties: false }, 'x')).toEqual([
    'x.a: an object of any size',
    'x.a: names of any length',
    'x.a.*: an array of any length',
    'x.a.*[]: a string of any length',
  ]);
});

it('every string, array and object of every request has a bound', () => {
  const faults: string[] = [];
  let seen = 0;
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    const operation = DOCUMENT.paths[endpoint.path]![endpoint.method.toLowerCase()] as unknown as {
      parameters?: { name?: string; in?: string; schema: Json }[];
      requestBody?: { content: Record<string, { schema: Json }> };
    };
    for (const { name: parameter, in: place, schema } of operation.parameters ?? []) {
      if (place !== 'query') continue;
      seen++;
      faults.push(...unbounded(schema, `${name}?${parameter}`));
    }
    const body = operation.requestBody?.content['application/json'];
    expect(body !== undefined, name).toBe(endpoint.request !== undefined);
    if (!body) continue;
    seen++;
    faults.push(...unbounded(body.schema, name));
  }
  expect(seen).toBeGreaterThan(12);
  expect(faults).toEqual([]);
});

it('every string, array and object of a catalog has a bound', () => {
  expect(unbounded(catalogJsonSchema(), 'catalog')).toEqual([]);
});
