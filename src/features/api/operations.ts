import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts';
import type { Operation } from './operation-fields.ts';

/** The operations of the endpoint table. */
export function operations(): Operation[] {
  return (Object.entries(ENDPOINTS) as [string, Endpoint][]).map(([operationId, endpoint]) => {
    const { method, path, group, summary, beyondSpecification } = endpoint;
    return { operationId, method, path, group, summary, beyondSpecification };
  });
}
