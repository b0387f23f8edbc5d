import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/kit/clock.ts';
import { updateWorkspace } from '../../../src/service/admin/accounts.ts';
import { removals } from '../../../src/service/platform/store/retention/removals.ts';
import { startService } from '../../../src/service/start.ts';
import { OWN_SERVICES } from '../outputs/check-output.ts';
import { runSvc, startSvc } from '../process/run-svc.ts';
import { builtRoot } from './built-root.ts';
import { CANARIES, fillWorkspace, type SampleData, type Send, startReceiver } from './sample-data.ts';
import { type WatchedPage, watchedPage } from './watched-page.ts';

/** The real service with sample data, `svc console` before it, and a page of it in a browser. */
export interface RunningConsole extends WatchedPage {
  readonly data: SampleData;
  readonly send: Send;
  /** Records that the decisions before a time were removed by age, of which the sample has none. */
  forgetDecisions(before: Date): Promise<void>;
  /** Makes the workspace a live or a test one. */
  setMode(mode: 'live' | 'test'): Promise<unknown>;
  /** Makes the receiver of the sample subscription answer 500, or 200 again. */
  failDeliveries(fail: boolean): void;
  /** Marks all deliveries as failed, as after their last attempt. */
  giveUpDeliveries(): Promise<unknown>;
  /** Makes the next attempt of each delivery due, as if its delay had passed. */
  dueDeliveries(): Promise<unknown>;
  /** Since then, Unix ms, no attempt to deliver succeeded. */
  failSince(at: number): Promise<unknown>;
  /** Stops the service, and starts it again on the same port and data once `meanwhile` has resolved. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  /** Asks the console for another address. */
  newAddress(): Promise<string>;
  /** Stops the console, not the service. */
  stopConsole(): Promise<void>;
  /** Stops everything and removes the data. */
  stop(): Promise<void>;
}

const LIMITS = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };

/** Starts all of it, once for a test file: `beforeAll` calls it, `afterAll` stops it. */
export async function startConsole({
  users = 5,
  clock,
  live,
}: {
  readonly users?: number;
  readonly clock?: Clock;
  /** What happened before. */
  readonly live?: (send: Send) => Promise<unknown>;
} = {}): Promise<RunningConsole> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-console-')));
  const options = {
    database: join(home, 'service.db'),
    dataDir: home,
    limits: LIMITS,
    allowLoopbackWebhooks: true,
    ...(clock && { clock }),
  };
  let service = await startService(options);
  OWN_SERVICES.add(service.url);
  const apiKey = service.apiKey!;
  const send: Send = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'x-service-workspace': service.workspace,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  let failing = false;
  const receiver = await startReceiver(() => failing);
  await live?.(send);
  const data = await fillWorkspace(send, receiver.url, { users });
  const env = { SVC_BASE_URL: service.url, SVC_WORKSPACE: service.workspace, SVC_API_KEY: apiKey };
  const argv = ['console', '--write', '--json'];
  const svc = startSvc(argv, { home, root: await builtRoot(), env });
  const [, url] = await svc.waitFor(/"url":"(http:[^"]+)"/);
  const stopConsole = async () => {
    svc.interrupt();
    await svc.done;
  };
  const watched = await watchedPage(url!, [...CANARIES, apiKey]);
  return {
    ...watched,
    data,
    send,
    forgetDecisions: (before) =>
      service.platform.store.write((tx) =>
        removals.record(tx, service.workspace, 'decisions', { number: 0, before: before.getTime() }),
      ),
    setMode: (mode) => updateWorkspace(service.platform.store, service.workspace, { mode }),
    failDeliveries: (fail) => {
      failing = fail;
    },
    giveUpDeliveries: () =>
      service.platform.store.write((tx) =>
        tx.sql.run("UPDATE delivery SET status = 'failed', due_at = NULL WHERE workspace_id = ?", [
          service.workspace,
        ]),
      ),
    dueDeliveries: () =>
      service.platform.store.write((tx) =>
        tx.sql.run("UPDATE delivery SET due_at = ? WHERE workspace_id = ? AND status = 'pending'", [
          Date.now(),
          service.workspace,
        ]),
      ),
    failSince: (at) =>
      service.platform.store.write((tx) =>
        tx.sql.run('UPDATE webhook SET failing_since = ? WHERE workspace_id = ?', [at, service.workspace]),
      ),
    restart: async (meanwhile) => {
      await service.close(0);
      await meanwhile();
      service = await startService({ ...options, port: Number(new URL(service.url).port) });
    },
    newAddress: async () => JSON.parse((await runSvc(argv, { home, env })).stdout).url,
    stopConsole,
    stop: async () => {
      await watched.close();
      await stopConsole();
      await receiver.close();
      OWN_SERVICES.delete(service.url);
      await service.close(0);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
