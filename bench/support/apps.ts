import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Dispatcher, request } from 'undici';
import type { Served } from './serve.ts';

/** A user and what its app sends along. */
export interface AppUser {
  readonly hashId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Flags of a service for many apps on one machine. */
export const WITHOUT_CLIENT_LIMITS = ['user', 'address', 'key'].flatMap((scope) => [
  '--client-limit',
  `${scope}=off`,
]);

/** Makes a publishable key for a service on a database. */
export function publishableKey(database: string): string {
  const args = ['keys', 'create', '--kind', 'publishable', '--json', '--database', database];
  const printed = execFileSync(process.execPath, [resolve('bin/run.js'), ...args], { encoding: 'utf8' });
  return (JSON.parse(printed) as { key: string }).key;
}

/** Sends a request with the server key and reads its answer. Throws for one that is no success. */
export async function call<T>(
  { url, headers }: Pick<Served, 'url' | 'headers'>,
  method: Dispatcher.HttpMethod,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await request(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Gives the app of a user its token. */
export async function appUser(service: Served, key: string, hashId: string): Promise<AppUser> {
  const { token } = await call<{ token: string }>(service, 'POST', `/v1/users/${hashId}/tokens`, {});
  const headers = {
    authorization: `Bearer ${key}`,
    'x-service-workspace': service.workspace,
    'x-service-user-token': token,
  };
  return { hashId, headers };
}

/** Identifies users, and gives the app of each its token. */
export async function appUsers(service: Served, key: string, count: number): Promise<AppUser[]> {
  const found: AppUser[] = [];
  for (let from = 0; from < count; from += 500) {
    const users = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
      userId: `app-${from + i}`,
    }));
    const known = await call<{ users: { hashId: string }[] }>(service, 'POST', '/v1/users', { users });
    for (const { hashId } of known.users) found.push(await appUser(service, key, hashId));
  }
  return found;
}

/** Asks for the messages of a user as the SDK does: with the tag of the answer before, if there is one. */
export async function poll(
  through: Dispatcher,
  { hashId, headers }: AppUser,
  surface: string,
  tag?: string,
): Promise<{ readonly status: number; readonly tag: string | undefined }> {
  const answer = await through.request({
    path: `/v1/messages?hashId=${hashId}&surface=${surface}`,
    method: 'GET',
    headers: tag === undefined ? headers : { ...headers, 'if-none-match': tag },
  });
  await answer.body.dump();
  const { etag } = answer.headers;
  return { status: answer.statusCode, tag: typeof etag === 'string' ? etag : tag };
}
