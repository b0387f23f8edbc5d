import type { Group } from '../contract/limits.ts';
import { OPERATIONS } from '../contract/operations.gen.ts';

/** Properties of a request: its rate-limit group, and whether sending it twice is harmless. */
export interface EndpointTraits {
  readonly group: Group | undefined;
  readonly repeatable: boolean;
}

/**
 * Looks a request up in the endpoint table. `path` may contain a query. A GET that is not in the table is a read
 * (specification: Limits) and repeatable; about other requests nothing is known.
 */
export function traitsOf(method: string, path: string, idempotent: boolean): EndpointTraits {
  const [plain = ''] = path.split('?');
  for (const endpoint of Object.values(OPERATIONS)) {
    if (endpoint.method === method && patternOf(endpoint.path).test(plain))
      return { group: endpoint.group, repeatable: endpoint.repeat === 'always' || idempotent };
  }
  const reads = method === 'GET' || method === 'HEAD';
  return { group: reads ? 'reads' : undefined, repeatable: reads || idempotent };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}
