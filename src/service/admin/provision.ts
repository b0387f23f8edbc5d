import { writePrivateFile } from '../../kit/files/private-file.ts';
import { newId } from '../../kit/id.ts';
import { apiKeys, newApiKey } from '../http/access/api-keys.ts';
import { type Credentials, readCredentials } from '../platform/store/credentials.ts';
import type { Store } from '../platform/store/store.ts';
import { testClock } from '../platform/store/test-clock.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { createWorkspaceRows } from './create-workspace.ts';

/**
 * Returns the workspace and key of a store, and creates them at its first start. The file is written before the commit;
 * a start that was killed between the two reuses it. The first workspace is a test one. For an SQLite file, a credentials
 * file that was lost, or whose key was revoked, is replaced by one with a new key. For a shared database, the key exists
 * only on the node that created it.
 */
export async function provision(
  store: Store,
  file: string,
  region: string | undefined,
  shared: boolean,
): Promise<Credentials> {
  const stored = readCredentials(file);
  return store.write(async (tx) => {
    await tx.lock('provision');
    const existing = await workspaces.first(tx);
    const workspace = existing?.id ?? stored?.workspace ?? newId('ws');
    const usable = stored?.workspace === workspace && !(await apiKeys.ended(tx, stored.apiKey));
    const mode = existing?.mode ?? 'test';
    if (existing && shared) {
      if (!usable) return { workspace, apiKey: null, keyId: null, mode };
      return { workspace, apiKey: stored.apiKey, keyId: await apiKeys.idOf(tx, stored.apiKey), mode };
    }
    const apiKey = usable ? stored.apiKey : newApiKey(mode);
    if (!usable) writePrivateFile(file, `${JSON.stringify({ workspace, apiKey }, null, 2)}\n`);
    if (!existing) await createWorkspaceRows(tx, { id: workspace, region: region ?? null, mode: 'test' });
    const keyId = await apiKeys.add(tx, workspace, apiKey, mode);
    return { workspace, apiKey, keyId, mode };
  });
}

/** A live workspace must not have a clock that can be moved. */
class TestClockRefused extends Error {
  override readonly name = 'TestClockRefused';
}

/**
 * Gives a store a test clock if `wanted`, for good. Resolves to whether it has one. Rejects with TestClockRefused if a
 * workspace is live.
 */
export async function provisionTestClock(store: Store, wanted: boolean): Promise<boolean> {
  if (!wanted) return store.read(async (tx) => (await testClock.get(tx)) !== undefined);
  return store.write(async (tx) => {
    await tx.lock('test clock');
    const live = (await workspaces.list(tx)).find(({ mode }) => mode === 'live');
    if (live) throw new TestClockRefused(`workspace ${live.id} is live, and its clock must not be moved`);
    await testClock.create(tx);
    return true;
  });
}
