import { ServiceError } from '../../../contract/errors.ts';
import { ANSWER_HEADERS, HEADERS } from '../../../contract/headers.ts';
import type { Store } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import type { AnswerHeaders } from '../answer-headers.ts';

/** How long a browser may keep the answer to a preflight request, in seconds. */
const MAX_AGE = 600;

/** What an app may send beside what browsers always allow (Fetch Standard, CORS protocol). */
const SENT = [
  HEADERS.authorization,
  HEADERS.workspace,
  HEADERS.userToken,
  HEADERS.idempotencyKey,
  'content-type',
  'if-none-match',
];

/**
 * Lets a web page read the answer if its origin is among those of the workspace. Does nothing for apps that send no
 * origin. Throws forbidden.
 */
export function admitOrigin(
  origin: string | undefined,
  origins: readonly string[],
  headers: AnswerHeaders,
): void {
  if (origin === undefined) return;
  headers.append('vary', 'Origin');
  if (!origins.includes(origin) && !origins.includes('*'))
    throw new ServiceError('forbidden', 'Web pages of this origin may not use the publishable keys.');
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', [...ANSWER_HEADERS, 'date', 'etag'].join(', '));
}

/**
 * Answers a browser that asks whether a page may send a request. It has no key yet, so the origin must be one of any
 * workspace; the request itself is checked against its own.
 */
export async function preflight(
  origin: string | undefined,
  methods: readonly string[],
  store: Store,
): Promise<Response> {
  const headers = new Headers({ vary: 'Origin', allow: ['OPTIONS', ...methods].join(', ') });
  if (origin !== undefined && (await store.read((tx) => workspaces.admitsOrigin(tx, origin)))) {
    headers.set('access-control-allow-origin', origin);
    headers.set('access-control-allow-methods', methods.join(', '));
    headers.set('access-control-allow-headers', SENT.join(', '));
    headers.set('access-control-max-age', String(MAX_AGE));
  }
  return new Response(null, { status: 204, headers });
}
