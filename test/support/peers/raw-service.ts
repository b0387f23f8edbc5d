import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADERS } from '../../../src/contract/headers.ts';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { filesOf } from '../../../src/service/platform/open.ts';
import type { RunningService } from '../../../src/service/running-service.ts';
import { type ServiceOptions, startService } from '../../../src/service/start.ts';
import { freshDatabase, onPostgres, tellTime } from '../postgres/database.ts';

/** An answer. The caller chooses the type of the body, which is not checked. */
export interface RawAnswer<T> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly headers: Headers;
}

export interface RawService extends RunningService {
  readonly database: string;
  readonly folder: string;
  /** The common prefix of its files. */
  readonly files: string;
  /** The log lines of the service. */
  readonly logged: string[];
  /** Sends an authenticated request with fetch, without the client of svc. */
  send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RawAnswer<T>>;
  /** Restarts the service on the same data. */
  restart(options?: Partial<ServiceOptions>): Promise<RawService>;
}

const NO_LIMITS = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };

/** Starts the whole service in a new folder, without rate limits; `release` closes it and removes the folder. */
export async function rawService(
  options: Partial<ServiceOptions> = {},
): Promise<{ service: RawService; release: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-raw-'));
  let drop = async () => {};
  const database = await freshDatabase(folder, (end) => {
    drop = end;
  });
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
      await drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A clock whose time the test sets; else it goes on with real time. Who sleeps until a time that is passed over wakes. */
export function wallClock(start: string): Clock & { set(text: string): void } {
  let offset = Date.parse(start) - systemClock.now();
  const sleeping = new Set<AbortController>();
  const now = () => systemClock.now() + offset;
  return {
    now,
    sleep: async (ms, signal) => {
      for (const until = now() + ms; now() < until; ) {
        const moved = new AbortController();
        sleeping.add(moved);
        const signals = signal ? [signal, moved.signal] : [moved.signal];
        await systemClock
          .sleep(until - now(), AbortSignal.any(signals))
          .catch((error) => {
            if (!moved.signal.aborted) throw error;
          })
          .finally(() => sleeping.delete(moved));
      }
      signal?.throwIfAborted();
    },
    set: (text) => {
      offset = Date.parse(text) - systemClock.now();
      for (const moved of sleeping) moved.abort();
    },
  };
}
