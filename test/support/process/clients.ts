import { expect } from 'vitest';
import { createKey } from '../../../src/service/admin/accounts.ts';
import { startTestService, type TestService } from './service.ts';

/** A service with a publishable key and two users, `ada` and `bo`, and what apps and servers do with it. */
export async function withClients(options: Parameters<typeof startTestService>[0] = {}) {
  const service = await startTestService({ mode: 'test', ...options });
  const { key, keyId } = await createKey(service.platform.store, undefined, 'publishable');
  const { users } = (await (
    await service.fetch('/v1/users', { body: { users: [{ userId: 'ada' }, { userId: 'bo' }] } })
  ).json()) as { users: { hashId: string }[] };
  const [ada, bo] = users.map(({ hashId }) => hashId) as [string, string];
  const tokenFor = async (
    hashId: string,
    from: TestService = service,
    body: object = {},
  ): Promise<string> => {
    const answer = await from.fetch(`/v1/users/${hashId}/tokens`, { body });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { token: string }).token;
  };
  const decided = async (hashId: string): Promise<string> => {
    const body = { hashId, context: { channel: 'in-app', surface: 'home' } };
    const answer = await service.fetch('/v1/decisioning/decide', { body });
    return ((await answer.json()) as { decisionId: string }).decisionId;
  };
  /** A request as an app sends it. */
  const app = (
    path: string,
    token: string | undefined,
    {
      body,
      headers = {},
      method,
    }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
  ) =>
    service.fetch(path, {
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
      headers: {
        authorization: `Bearer ${key}`,
        ...(token === undefined ? {} : { 'x-service-user-token': token }),
        ...headers,
      },
    });
  return { service, key, keyId, ada, bo, tokenFor, decided, app };
}

/** The message of an error response. */
export const reasonOf = async (answer: Response) => ((await answer.json()) as { message: string }).message;
