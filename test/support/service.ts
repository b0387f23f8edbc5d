import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunningService, type ServiceOptions, startService } from '../../src/service/start.ts';
import { tempDir } from './temp.ts';

export interface TestService extends RunningService {
  readonly apiKey: string;
  readonly database: string;
  /** The environment that points svc at this service. */
  readonly env: { SVC_BASE_URL: string; SVC_WORKSPACE: string; SVC_API_KEY: string };
  /** A request with the service's key. */
  fetch(
    path: string,
    init?: { method?: string; body?: unknown; raw?: string | Uint8Array; headers?: Record<string, string> },
  ): Promise<Response>;
}

/** The real service on a fresh SQLite file and a free port, closed with the test. Limits are off unless given. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const database = options.database ?? join(tempDir(), 'service.db');
  const limits = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
  const service = await startService({ limits, ...options, database });
  onTestFinished(() => service.close(0));
  const apiKey = service.apiKey!;
  return {
    ...service,
    apiKey,
    database,
    env: { SVC_BASE_URL: service.url, SVC_WORKSPACE: service.workspace, SVC_API_KEY: apiKey },
    fetch: (path, { method, body, raw, headers } = {}) => {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      return fetch(service.url + path, {
        method: method ?? (payload === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${apiKey}`,
          'x-service-workspace': service.workspace,
          'content-type': 'application/json',
          ...headers,
        },
        ...(payload === undefined ? {} : { body: payload }),
      });
    },
  };
}
