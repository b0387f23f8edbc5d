import { ENDPOINTS, type Endpoint } from '../contract/endpoints.ts';
import type { Group } from '../contract/limits.ts';

/** What is known of any request: the group it counts under, and whether it does no harm twice. */
export interface EndpointTraits {
  readonly group: Group | undefined;
  readonly repeatable: boolean;
}

/**
 * Looks a request up in the endpoint table. `path` may carry a query. Outside the table a GET is a read
 * (specification: Limits) and may be repeated; of anything else nothing is known.
 */
export function traitsOf(method: string, path: string, keysHonoured: boolean): EndpointTraits {
  const [plain = ''] = path.split('?');
  for (const endpoint of Object.values<Endpoint>(ENDPOINTS)) {
    if (endpoint.method === method && patternOf(endpoint.path).test(plain))
      return { group: endpoint.group, repeatable: endpoint.repeat === 'always' || keysHonoured };
  }
  const reads = method === 'GET' || method === 'HEAD';
  return { group: reads ? 'reads' : undefined, repeatable: reads || keysHonoured };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}
