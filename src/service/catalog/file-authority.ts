import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { describeFileProblem } from '../../kit/files/file-trouble.ts';
import { settingsText } from '../../kit/pipe.ts';
import { settings } from '../platform/store/settings.ts';
import type { Tx } from '../platform/store/store.ts';
import { CatalogError } from './parse.ts';

/** Holds the text of the catalog of the service as JSON. */
const TEXT = 'catalogue';
/** Says which file that text is from, and how long the file is the authority. */
const AUTHORITY = 'catalogFile';

/** How long a file stays the authority after a node last said so, and how often nodes do, in ms. */
const LEASE_MS = 60_000;
export const RENEW_MS = 15_000;

/** A catalog file as a node has read it. */
export interface CatalogFileText {
  readonly path: string;
  readonly text: string;
  /** When the file was changed, Unix ms. */
  readonly changedAt: number;
}

/** What the store says of the catalog file that leads. */
export interface Authority {
  readonly path: string;
  readonly digest: string;
  readonly changedAt: number;
  /** When the text was stored, Unix ms. */
  readonly at: number;
  /** The file is the authority before this time, Unix ms. */
  readonly until: number;
}

/** The catalog of the service in the store, and the file that is its authority. */
export const fileAuthority = {
  async get(tx: Tx): Promise<Authority | undefined> {
    return settings.get<Authority>(tx, AUTHORITY);
  },

  async text(tx: Tx): Promise<string | undefined> {
    return settings.get<string>(tx, TEXT);
  },

  /**
   * Makes a file the authority and stores its text, unless the file of another node leads that was changed later.
   * Returns that one, or undefined.
   */
  async publish(tx: Tx, { path, text, changedAt }: CatalogFileText): Promise<Authority | undefined> {
    await tx.lock('catalog file');
    const known = await fileAuthority.get(tx);
    const digest = digestOf(text);
    if (known && known.until > tx.now && known.digest !== digest && known.changedAt > changedAt) return known;
    const same = (await fileAuthority.text(tx)) === text;
    if (!same) await settings.set(tx, TEXT, text);
    const at = same ? (known?.at ?? 0) : tx.now;
    const until = tx.now + LEASE_MS;
    await settings.set(tx, AUTHORITY, { path, digest, changedAt, at, until } satisfies Authority);
    return undefined;
  },

  /** Extends the lease of the file that leads. */
  async renew(tx: Tx): Promise<void> {
    await tx.lock('catalog file');
    const known = await fileAuthority.get(tx);
    if (known) await settings.set(tx, AUTHORITY, { ...known, until: tx.now + LEASE_MS });
  },

  /** Ends the lease. Other nodes with a file renew it at once. */
  async release(tx: Tx): Promise<void> {
    await tx.lock('catalog file');
    const known = await fileAuthority.get(tx);
    if (known) await settings.set(tx, AUTHORITY, { ...known, until: 0 });
  },
};

/** Reads a catalog file. Throws CatalogError. */
export function readCatalogFile(path: string): CatalogFileText {
  try {
    return { path, text: settingsText(path), changedAt: statSync(path).mtimeMs };
  } catch (error) {
    throw new CatalogError([
      { path: 'the file', message: `could not be read: ${describeFileProblem(path, error).message}` },
    ]);
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
