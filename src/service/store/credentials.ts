import { readFileSync } from 'node:fs';
import { newId } from '../../kit/id.ts';
import { writePrivateFile } from '../../kit/private-file.ts';
import { newApiKey, workspaces } from './repositories/workspaces.ts';
import { type Store, StoreUnusable } from './store.ts';

/** What a first client needs: made at the first start, kept 0600 beside the data. */
export interface Credentials {
  readonly workspace: string;
  /** Null on a shared database that another node set up. */
  readonly apiKey: string | null;
}

/**
 * The workspace and key of a store, made at its first start. The file is written before the commit, and a start that
 * was killed between the two takes it up again. Where the store is one file, whoever can open it may also have a new
 * key: a lost credentials file is made anew; on a shared database the key stays where it was made.
 */
export async function provision(
  store: Store,
  file: string,
  region: string | undefined,
  shared: boolean,
): Promise<Credentials> {
  const kept = readCredentials(file);
  return store.write(async (tx) => {
    await tx.lock('provision');
    const existing = await workspaces.first(tx);
    if (existing && shared)
      return { workspace: existing.id, apiKey: kept?.workspace === existing.id ? kept.apiKey : null };
    const workspace = existing?.id ?? kept?.workspace ?? newId('ws');
    const apiKey = (kept?.workspace === workspace ? kept.apiKey : null) ?? newApiKey();
    if (kept?.workspace !== workspace || kept.apiKey !== apiKey) {
      writePrivateFile(file, `${JSON.stringify({ workspace, apiKey }, null, 2)}\n`);
    }
    if (!existing) await workspaces.create(tx, workspace, region ?? null);
    await workspaces.addKey(tx, workspace, apiKey);
    return { workspace, apiKey };
  });
}

/** What the file beside the data holds; undefined where there is none. Throws StoreUnusable for one that is damaged. */
export function readCredentials(file: string): { workspace: string; apiKey: string } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreUnusable(
      `${file} cannot be read (${(error as Error).message}): it holds the API key of the data beside it`,
      error,
    );
  }
  try {
    const value = JSON.parse(text) as Partial<Credentials>;
    if (typeof value.workspace === 'string' && typeof value.apiKey === 'string') {
      return { workspace: value.workspace, apiKey: value.apiKey };
    }
  } catch {
    // Falls through to the same words: the file is not what we wrote.
  }
  throw new StoreUnusable(
    `${file} is damaged: restore it, or move it away and a new API key is made at the next start`,
  );
}
