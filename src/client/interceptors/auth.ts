import { HEADERS } from '../../contract/headers.ts';
import type { Interceptor } from '../exchange.ts';

/** Adds the headers that every request needs (specification: Authentication). */
export function auth(apiKey: string, workspace: string): Interceptor {
  return (next) => (request) =>
    next({
      ...request,
      headers: {
        'content-type': 'application/json',
        ...request.headers,
        [HEADERS.authorization]: `Bearer ${apiKey}`,
        [HEADERS.workspace]: workspace,
      },
    });
}
