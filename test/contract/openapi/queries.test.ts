import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/contract/endpoints.ts';
import { type Json, OPERATIONS, Validator } from '../../support/openapi/document.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { subscribe } from '../../support/process/webhooks-service.ts';

const validator = new Validator();

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

/** The query parameters of operations that answer JSON, with the operation and what the document says of them. */
const PARAMETERS = [...OPERATIONS.values()].flatMap(({ operationId, parameters = [] }) =>
  (parameters as unknown as Parameter[])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ operationId, name, schema })),
);
const named = (...names: readonly string[]) =>
  PARAMETERS.filter(({ name }) => names.includes(name)).map(
    ({ operationId, name, schema }) => [`${operationId} ${name}`, operationId, name, schema] as const,
  );

async function asks(service: TestService, operationId: string, name: string, value: string): Promise<number> {
  const { path } = ENDPOINTS[operationId as keyof typeof ENDPOINTS];
  const query = new URLSearchParams({ [name]: value });
  const known = path.replace('{hashId}', 'h').replace('{type}', 'events');
  const whole = known.includes('{id}')
    ? known.replace('{id}', (await subscribe(service, 'https://example.com/')).id)
    : known;
  const answer = await service.fetch(`${whole}?${query}`);
  await answer.text();
  return answer.status;
}

describe('a time in a query', () => {
  const times = named('since', 'until');
  const good = ['2026-02-28T00:00:00Z', '2024-02-29T23:59:59.123456789Z', '2026-01-31T12:00:00+05:30'];
  const bad = [
    ...['2026-02-30T00:00:00Z', '2026-02-29T12:00:00+01:00', '2026-04-31T00:00:00Z', '2026-00-01T00:00:00Z'],
    ...['2026-13-01T00:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31T23:59:60Z', '2026-01-31T12:00:00+24:00'],
    // Without an offset, the answer would depend on the time zone of the service.
    ...['2026-01-31T12:00:00', '2026-01-31', '2026-01-31T12:00:00 Z', 'yesterday'],
  ];

  it.each(times)('%s must exist, as the document says', async (_, operationId, name, schema) => {
    const service = await startTestService({ testClock: operationId === 'getClock' });
    expect(schema).toMatchObject({ type: 'string', format: 'date-time' });
    for (const value of good) {
      expect(validator.errors(schema, value)).toBe('');
      expect([value, await asks(service, operationId, name, value)]).toEqual([value, 200]);
    }
    for (const value of bad) {
      expect([value, validator.errors(schema, value)]).not.toEqual([value, '']);
      expect([value, await asks(service, operationId, name, value)]).toEqual([value, 400]);
    }
    expect(times).toHaveLength(24);
  });
});

describe('the size of a page', () => {
  const sizes = named('limit');

  it.each(sizes)(
    '%s is an integer in the document, with its bounds',
    async (_, operationId, name, schema) => {
      const service = await startTestService();
      expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: expect.any(Number) });
      expect(schema).not.toHaveProperty('pattern');
      const { maximum } = schema as { maximum: number };
      const edges = [0, 1, maximum, maximum + 1, -1, 1.5].map((value) => fc.constant(value));
      await fc.assert(
        fc.asyncProperty(fc.oneof(...edges, fc.integer(), fc.double({ noNaN: true })), async (value) => {
          const allowed = validator.errors(schema, value) === '';
          expect(await asks(service, operationId, name, String(value))).toBe(allowed ? 200 : 400);
        }),
        { numRuns: 50 },
      );
      for (const text of ['', ' 1', '1e1', '0x1', '+1', '01'])
        expect([text, await asks(service, operationId, name, text)]).toEqual([text, 400]);
      expect(sizes).toHaveLength(3);
    },
  );
});

it.each(['Action', 'Alternative', 'Candidate'])('the ranking of %s has its bounds', (name) => {
  const ranking = { $ref: `#/components/schemas/${name}` };
  const of = (value: number) =>
    validator.errors(ranking, { type: '', contentId: '', propensity: 1, reason: '', ranking: value });
  expect([of(0), of(0.5), of(1)]).toEqual(['', '', '']);
  for (const value of [-0.01, 1.01]) expect(of(value)).toMatch(/ranking must be [<>]= [01]/);
});
