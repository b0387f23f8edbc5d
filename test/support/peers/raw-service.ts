import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADERS } from '../../../src/contract/headers.ts';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { type RunningService, type ServiceOptions, startService } from '../../../src/service/start.ts';
import { filesOf } from '../../../src/service/store/open.ts';
import { freshDatabase, onPostgres, tellTime } from '../postgres/database.ts';

/** What a test reads of an answer: unknown until it asks. */
// The shape is the caller's claim; a wrong one fails the assertion that uses it.
export interface RawAnswer<T> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly headers: Headers;
}

export interface RawService extends RunningService {
  readonly database: string;
  readonly folder: string;
  /** What the names of its files begin with. */
  readonly files: string;
  /** Everything the service logged, as text. */
  readonly logged: string[];
  /** One authenticated request by plain fetch, below the client that users have. */
  send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RawAnswer<T>>;
  /** Stops the service and opens it again on the same data. */
  restart(options?: Partial<ServiceOptions>): Promise<RawService>;
}

const NO_LIMITS = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };

/** The whole service on a fresh folder, without rate limits; `release` closes it and removes the folder. */
export async function rawService(
  options: Partial<ServiceOptions> = {},
): Promise<{ service: RawService; release: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-raw-'));
  const database = await freshDatabase(folder);
  const tellDatabase = onPostgres && options.clock ? await tellTime(database, options.clock) : async () => {};
  let running: RawService;
  const open = async (given: Partial<ServiceOptions>): Promise<RawService> => {
    const logged: string[] = [];
    await tellDatabase();
    const service = await startService({
      database,
      dataDir: folder,
      port: 0,
      limits: NO_LIMITS,
      log: (level, message, fields) => logged.push(JSON.stringify({ level, message, ...fields })),
      ...given,
    });
    running = {
      ...service,
      database,
      folder,
      files: filesOf(database, folder),
      logged,
      async send(method, path, body, headers) {
        await tellDatabase();
        const answer = await fetch(service.url + path, {
          method,
          headers: {
            authorization: `Bearer ${service.apiKey}`,
            [HEADERS.workspace]: service.workspace,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        return { status: answer.status, body: JSON.parse(text || 'null'), text, headers: answer.headers };
      },
      async restart(changed) {
        await service.close();
        return open({ ...given, ...changed });
      },
    };
    return running;
  };
  const service = await open(options);
  return {
    service,
    release: async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A clock whose wall time is set by the test; waiting is real. */
export function wallClock(start: string): Clock & { set(text: string): void } {
  let offset = Date.parse(start) - systemClock.now();
  return {
    now: () => systemClock.now() + offset,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    set: (text) => {
      offset = Date.parse(text) - systemClock.now();
    },
  };
}
