import { onTestFinished } from 'vitest';
import { updateWorkspace } from '../../../src/service/admin/accounts.ts';
import { filesOf } from '../../../src/service/platform/open.ts';
import type { RunningService } from '../../../src/service/running-service.ts';
import { type ServiceOptions, startService } from '../../../src/service/start.ts';
import { OWN_SERVICES } from '../outputs/check-output.ts';
import { freshDatabase } from '../postgres/database.ts';
import { tempDir } from '../temp.ts';

export interface TestService extends RunningService {
  readonly apiKey: string;
  readonly database: string;
  /** What the names of its files begin with. */
  readonly files: string;
  /** The environment that points svc at this service. */
  readonly env: { SVC_BASE_URL: string; SVC_WORKSPACE: string; SVC_API_KEY: string };
  /** A request with the service's key. */
  fetch(
    path: string,
    init?: { method?: string; body?: unknown; raw?: string | Uint8Array; headers?: Record<string, string> },
  ): Promise<Response>;
}

/** Processes on one database share the files beside it, as nodes on one machine do. */
const dataDirs = new Map<string, string>();

/**
 * The real service on a fresh database and a free port, closed with the test. Limits are off unless given. Its
 * workspace is a live one where channels are configured, and a test one otherwise, unless `mode` says so.
 */
export async function startTestService(
  options: Partial<ServiceOptions> & { mode?: 'live' | 'test' } = {},
): Promise<TestService> {
  const database = options.database ?? (await freshDatabase(tempDir()));
  const dataDir = dataDirs.get(database) ?? tempDir();
  dataDirs.set(database, dataDir);
  const limits = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
  const service = await startService({ limits, dataDir, ...options, database });
  OWN_SERVICES.add(service.url);
  onTestFinished(() => {
    // The next service on this port may be another one.
    OWN_SERVICES.delete(service.url);
    return service.close(0);
  });
  const mode = options.mode ?? (options.channels || options.environment ? 'live' : undefined);
  if (mode) await updateWorkspace(service.platform.store, service.workspace, { mode });
  const apiKey = service.apiKey!;
  return {
    ...service,
    apiKey,
    database,
    files: filesOf(database, dataDir),
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
