import { describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint } from '../../../src/contract/endpoints.ts';
import { allowedOperations, calledOperation } from '../../../src/features/console-server/operations.ts';

const target = (method: 'GET' | 'POST', path: string, query = '') => ({
  method,
  segments: path.split('/').slice(1).map(decodeURIComponent),
  query,
});

describe('the operations that the page may call', () => {
  it('describe what they answer, so that nothing else is passed on', () => {
    const open = allowedOperations(true).filter((name) => {
      const endpoint: Endpoint = ENDPOINTS[name];
      return endpoint.answer === undefined && endpoint.success !== 204;
    });
    expect(open).toEqual([]);
  });

  it('are reads alone where the console is read-only', () => {
    for (const name of allowedOperations(false)) {
      const { method, storesNothing, marks }: Endpoint = ENDPOINTS[name];
      expect([name, method === 'GET' || storesNothing === true, marks === true]).toEqual([name, true, false]);
    }
  });

  it('answer no secret, no address and no variable', () => {
    const hidden = /"(signingSecret|secret|apiKey|token|phone|email|accountNumber|variables)":/;
    for (const name of allowedOperations(true)) {
      const { answer }: Endpoint = ENDPOINTS[name];
      const shape = (schema: unknown, depth = 0): string[] => {
        const def = (schema as { _zod?: { def?: Record<string, unknown> } })?._zod?.def;
        if (!def || depth > 12) return [];
        const fields = Object.entries((def.shape ?? {}) as Record<string, unknown>);
        const inner = [def.element, def.innerType, ...((def.options ?? []) as unknown[])];
        return [
          ...fields.flatMap(([key, value]) => [`"${key}":`, ...shape(value, depth + 1)]),
          ...inner.flatMap((one) => shape(one, depth + 1)),
        ];
      };
      const names = shape(answer);
      expect(names.length, name).toBeGreaterThan(0);
      expect(
        names.filter((key) => hidden.test(key)),
        name,
      ).toEqual([]);
    }
  });

  it('are called by a path made from the table', () => {
    const called = calledOperation(target('GET', '/api/v1/decisions/a b%3Fc%23', 'x=1&y=%3Cb%3E'), false);
    expect(called).toMatchObject({ name: 'getDecision', path: '/v1/decisions/a%20b%3Fc%23?x=1&y=%3Cb%3E' });
    expect(() => calledOperation(target('GET', `/api/v1/decisions/${'x'.repeat(2000)}`), true)).toThrow();
    expect(() => calledOperation(target('POST', '/api/v1/decisions/x'), true)).toThrow();
  });
});
