import { HEADERS } from '../../contract/headers.ts';
import type { Interceptor } from '../exchange.ts';

/** Adds the headers that every request needs (specification: Authentication); of an app, also its user token. */
export function auth(apiKey: string, workspace: string, userToken?: string): Interceptor {
  const token: Record<string, string> = userToken === undefined ? {} : { [HEADERS.userToken]: userToken };
  return (next) => (request) =>
    next({
      ...request,
      headers: {
        'content-type': 'application/json',
        ...request.headers,
        [HEADERS.authorization]: `Bearer ${apiKey}`,
        [HEADERS.workspace]: workspace,
        ...token,
      },
    });
}
