import { Lru } from '../../kit/lru.ts';
import type { Log } from '../platform/log.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import { type CatalogHead, catalogVersions } from './catalog-versions.ts';
import { DEFAULT_CATALOG } from './default.ts';
import { type Authority, fileAuthority, RENEW_MS, readCatalogFile } from './file-authority.ts';
import { parseCatalog } from './parse.ts';
import { fileVersion, watchSince } from './watch.ts';

/** Catalogs of workspaces in memory, at most. */
const IN_MEMORY = 64;

/** The catalog of a workspace as it was stored. */
export interface StoredCatalog {
  /** 0 for the catalog of the service. */
  readonly version: number;
  /** When it was stored, Unix ms; 0 for the built-in one. */
  readonly at: number;
  readonly author: string | null;
  readonly note: string | null;
  /** JSON. */
  readonly text: string;
}

/** The current catalogs. */
export interface Catalogs {
  /** The catalog of a workspace. */
  of(tx: Tx, workspaceId: string): Promise<Catalog>;
  /** True if `of` knows the newest version of a workspace's catalog. */
  isCurrent(tx: Tx, workspaceId: string): Promise<boolean>;
  /** The catalog of the service, which holds for workspaces without one of their own. */
  shared(): Catalog;
  /** That of the service, and those of workspaces, whether they hold now or once no file leads any more. */
  all(tx: Tx): Promise<Catalog[]>;
  stop(): Promise<void>;
}

/**
 * Follows the catalogs: that of the service in the store, or the built-in one, and those of workspaces. `file` is written
 * to the store, so that all processes on the store use it, for every workspace; without a file that leads, what was
 * stored last holds. A changed file is loaded within a second; if it is invalid, its errors are logged and the current
 * catalog stays. Rejects with CatalogError only for the first load.
 */
export async function followCatalogs(store: Store, file: string | undefined, log: Log): Promise<Catalogs> {
  let shared = toCatalog(DEFAULT_CATALOG);
  let text: string | undefined;
  let authority: Authority | undefined;
  let stopped = false;
  let heads: ReadonlyMap<string, CatalogHead> = new Map();
  const own = new Lru<string, { readonly version: number; readonly catalog: Catalog }>(IN_MEMORY);

  const apply = (found: string | undefined) => {
    if (found === undefined || found === text) return;
    shared = parseCatalog(found);
    text = found;
  };
  const load = () =>
    store.read(async (tx) => {
      const next = await fileAuthority.get(tx);
      heads = await catalogVersions.heads(tx);
      if (next === undefined || next.digest !== authority?.digest || text === undefined)
        apply(await fileAuthority.text(tx));
      authority = next;
      return { leads: (next?.until ?? 0) > tx.now };
    });
  let loading: Promise<unknown> = Promise.resolve();
  /** One after another: what an earlier read found must not replace what a later one did. */
  const refresh = () => {
    const loaded = loading.then(load);
    loading = loaded.catch(() => {});
    return loaded;
  };
  const publish = async (path: string) => {
    const read = readCatalogFile(path);
    parseCatalog(read.text);
    const other = await store.write((tx) => fileAuthority.publish(tx, read));
    if (other)
      log('warn', 'the catalog file of another node was changed later and is used; this one is not', {
        file: path,
        used: other.path,
      });
    await refresh();
  };
  const logFailure = (error: unknown) =>
    log('error', 'the catalog was not loaded; the current one stays', {
      reason: error instanceof Error ? error.message : String(error),
    });

  const version = file === undefined ? null : fileVersion(file);
  if (file === undefined) await refresh();
  else await publish(file);

  const renew = () => store.write((tx) => fileAuthority.renew(tx), { durable: false });
  const unsubscribe = store.subscribe('settings', () => {
    refresh()
      .then(({ leads }) => (file !== undefined && !leads && !stopped ? renew() : undefined))
      .catch(logFailure);
  });
  const reload = (path: string) =>
    void publish(path).then(() => log('info', 'the catalog was reloaded', { file: path }), logFailure);
  const unwatch = file === undefined ? undefined : watchSince(file, version, () => reload(file));
  const renewal =
    file === undefined ? undefined : setInterval(() => void renew().catch(logFailure), RENEW_MS).unref();

  return {
    of: async (tx, workspaceId) => {
      const head = heads.get(workspaceId);
      if (!head || isLed(authority, head, tx.now)) return shared;
      const known = own.get(workspaceId);
      if (known?.version === head.version) return known.catalog;
      const found = await catalogVersions.get(tx, workspaceId, head.version);
      // A newer version has just replaced it, which this process learns of at once.
      if (!found) return known?.catalog ?? shared;
      const catalog = parseCatalog(found.body);
      own.set(workspaceId, { version: head.version, catalog });
      return catalog;
    },
    isCurrent: async (tx, workspaceId) => {
      const { version } = await catalogVersions.head(tx, workspaceId);
      return version === (heads.get(workspaceId)?.version ?? 0);
    },
    shared: () => shared,
    all: async (tx) => {
      const all = [shared];
      for (const [workspaceId, { version }] of await catalogVersions.heads(tx)) {
        const found = await catalogVersions.get(tx, workspaceId, version);
        if (found) all.push(parseCatalog(found.body));
      }
      return all;
    },
    stop: async () => {
      stopped = true;
      unsubscribe();
      unwatch?.();
      clearInterval(renewal);
      if (file !== undefined) await store.write((tx) => fileAuthority.release(tx)).catch(logFailure);
    },
  };
}

/** True if the catalog of the service holds instead of a workspace's: a file leads, or it was stored later. */
function isLed(authority: Authority | undefined, head: CatalogHead, now: number): boolean {
  return authority !== undefined && (authority.until > now || authority.at > head.at);
}

/** The catalog of a workspace as the store has it, and the file that leads it, if one does. */
export async function storedCatalog(
  tx: Tx,
  workspaceId: string,
  head: CatalogHead,
): Promise<{ current: StoredCatalog; file: string | undefined }> {
  const authority = await fileAuthority.get(tx);
  const file = authority && authority.until > tx.now ? authority.path : undefined;
  const own =
    head.version > 0 && !isLed(authority, head, tx.now)
      ? await catalogVersions.get(tx, workspaceId, head.version)
      : undefined;
  if (own) return { current: { ...own, text: own.body }, file };
  return { current: await serviceCatalog(tx, authority), file };
}

/** The catalog of the service, on which the first version of a workspace is based: version 0. */
export async function serviceCatalog(tx: Tx, known?: Authority): Promise<StoredCatalog> {
  const text = await fileAuthority.text(tx);
  const at = text === undefined ? 0 : ((known ?? (await fileAuthority.get(tx)))?.at ?? 0);
  return { version: 0, at, author: null, note: null, text: text ?? JSON.stringify(DEFAULT_CATALOG) };
}
