import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../../kit/files/private-file.ts';
import { newId } from '../../kit/id.ts';
import { apiKeys, newApiKey } from './repositories/api-keys.ts';
import { sendingMode, workspaces } from './repositories/workspaces.ts';
import { type Store, StoreUnusable } from './store.ts';

/** The credentials of a first client, created at the first start and stored with mode 0600 beside the data. */
export interface Credentials {
  readonly workspace: string;
  /** Null on a shared database that another node initialized. */
  readonly apiKey: string | null;
  /** Identifier of the key; null where there is none. */
  readonly keyId: string | null;
  /** How the workspace sends notifications. */
  readonly mode: 'live' | 'test';
}

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
    const mode = existing ? sendingMode(existing.mode) : 'test';
    if (existing && shared) {
      if (!usable) return { workspace, apiKey: null, keyId: null, mode };
      return { workspace, apiKey: stored.apiKey, keyId: await apiKeys.idOf(tx, stored.apiKey), mode };
    }
    const kind = existing?.mode ?? 'test';
    const apiKey = usable ? stored.apiKey : newApiKey(kind);
    if (!usable) writePrivateFile(file, `${JSON.stringify({ workspace, apiKey }, null, 2)}\n`);
    if (!existing) await workspaces.create(tx, { id: workspace, region: region ?? null, mode: 'test' });
    const keyId = await apiKeys.add(tx, workspace, apiKey, kind);
    return { workspace, apiKey, keyId, mode };
  });
}

/** Reads the credentials file; undefined if it does not exist. Throws StoreUnusable if it is damaged. */
export function readCredentials(file: string): { workspace: string; apiKey: string } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreUnusable(
      `${file}, which holds the API key of the database, cannot be read: ${(error as Error).message}`,
      error,
    );
  }
  try {
    const value = JSON.parse(text) as Partial<Credentials>;
    if (typeof value.workspace === 'string' && typeof value.apiKey === 'string') {
      return { workspace: value.workspace, apiKey: value.apiKey };
    }
  } catch {
    // Invalid JSON is reported like invalid content, below.
  }
  throw new StoreUnusable(
    `${file} is damaged: restore it, or move it away to get a new API key at the next start`,
  );
}
