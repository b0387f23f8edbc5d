import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspace } from '../../../src/service/admin/accounts.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { Precedence } from '../../../src/service/platform/precedence.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { dueRound } from '../../../src/service/platform/workers/worker.ts';
import { freshDatabase, onPostgres } from '../../support/postgres/database.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** Lets the workers of some workspaces seem to be out. */
function lose(store: Store, ...lost: string[]): void {
  const workers = {
    isUnreachable: (id: string) => lost.includes(id),
    out: () => ({ out: lost.length, of: 3 }),
  };
  Object.defineProperty(store, 'workers', { value: workers, configurable: true });
  onTestFinished(() => void Object.defineProperty(store, 'workers', { value: undefined }));
}

const event = { userId: 'u1', event: 'opened', timestamp: '2026-01-01T00:00:00Z' };

test('requests for a workspace whose worker is lost are answered with 503 at once, and others as ever', async () => {
  const service = await startTestService({ metricsPort: 0 });
  const { store } = service.platform;
  const other = await createWorkspace(store, 'ws_other', 'test');
  const ask = (headers: Record<string, string> = {}) =>
    service.fetch('/v1/events', { body: { events: [event] }, headers });
  const asOther = { authorization: `Bearer ${other.key}`, 'x-service-workspace': other.workspace };
  lose(store, service.workspace);
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ error: 'unavailable' });
  expect((await ask(asOther)).status).toBe(202);
  for (const base of [service.url, service.metricsUrl!.replace('/metrics', '')]) {
    const ready = await fetch(`${base}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ready: 1 of 3 workspaces are out\n']);
  }
  lose(store);
  expect((await ask()).status).toBe(202);
  expect(await (await fetch(`${service.url}/readyz`)).text()).toBe('ready\n');
});

test('a node is not ready while all workspaces are out', async () => {
  const service = await startTestService();
  lose(service.platform.store, 'ws_1', 'ws_2', 'ws_3');
  const ready = await fetch(`${service.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'not ready: 3 of 3 workspaces are out\n']);
});

// The look at some workspaces by name is only in the SQL of PostgreSQL.
if (onPostgres)
  test('a round passes over the workspaces that are out, and finds them once they are back', async () => {
    const store = await connectStore(await freshDatabase(tempDir()), systemClock);
    onTestFinished(() => store.close());
    const ids = Array.from({ length: 70 }, (_, n) => `ws_${String(n).padStart(2, '0')}`);
    for (const id of ids) await createWorkspace(store, id, 'test');
    await store.write(async (tx) => {
      for (const id of ids) await due.mark(tx, id, 'settle');
    });
    const done: string[] = [];
    const round = dueRound({ store, log: () => {}, precedence: new Precedence() }, 'settle', async (id) => {
      done.push(id);
      return false;
    });
    const lost = ids.filter((_, n) => n % 2 === 0);
    lose(store, ...lost);
    while (await round());
    expect(done).toEqual(ids.filter((id) => !lost.includes(id)));
    lose(store);
    done.length = 0;
    while (await round());
    expect(done).toEqual(ids);
  });
