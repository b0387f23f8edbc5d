import { readFileSync } from 'node:fs';
import { StoreUnusable } from './store.ts';

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
