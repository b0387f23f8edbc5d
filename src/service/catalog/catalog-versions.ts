import { conditionsOf, type Page, readPage } from '../platform/store/pages.ts';
import type { Tx } from '../platform/store/store.ts';

/** What is known of a version of a workspace's catalog. */
export interface CatalogVersion {
  readonly version: number;
  /** Unix ms. */
  readonly at: number;
  readonly author: string | null;
  readonly note: string | null;
  readonly revertOf: number | null;
  /** Size of its JSON text. */
  readonly bytes: number;
}

/** The newest version of a workspace: 0 if there is none. `at` is Unix ms. */
export interface CatalogHead {
  readonly version: number;
  readonly at: number;
}

/** The newest versions are kept, and young ones, as far as the bytes allow. */
const KEPT = { newest: 100, ms: 90 * 86_400_000, most: 5000, bytes: 64 * 1024 * 1024 } as const;

const COLUMNS = 'version, at_ms AS at, author, note, revert_of AS "revertOf", bytes';

const HEAD = 'SELECT catalog_version AS version, catalog_at AS at FROM workspace WHERE workspace_id = ?';

/** The versions of the catalogs of workspaces. */
export const catalogVersions = {
  /** The workspaces with a catalog of their own, and its newest version. */
  async heads(tx: Tx): Promise<Map<string, CatalogHead>> {
    const rows = await tx.sql.all<CatalogHead & { id: string }>(
      `SELECT workspace_id AS id, catalog_version AS version, catalog_at AS at FROM workspace
       WHERE catalog_version > 0`,
    );
    return new Map(rows.map(({ id, ...head }) => [id, head]));
  },

  async head(tx: Tx, workspaceId: string): Promise<CatalogHead> {
    return (await tx.sql.get<CatalogHead>(HEAD, [workspaceId]))!;
  },

  /** Like `head`, and locks it for the rest of the transaction. */
  async lockForUpdate(tx: Tx, workspaceId: string): Promise<CatalogHead> {
    return (await tx.sql.get<CatalogHead>(`${HEAD} ${tx.sql.dialect.forUpdate}`, [workspaceId]))!;
  },

  async get(
    tx: Tx,
    workspaceId: string,
    version: number,
  ): Promise<(CatalogVersion & { readonly body: string }) | undefined> {
    return tx.sql.get<CatalogVersion & { body: string }>(
      `SELECT ${COLUMNS}, body FROM catalog_version WHERE workspace_id = ? AND version = ?`,
      [workspaceId, version],
    );
  },

  /** A page of the versions of a workspace below `before` that were stored in a span of time (Unix ms), newest first. */
  async page(
    tx: Tx,
    workspaceId: string,
    { before, since, until }: Readonly<Record<'before' | 'since' | 'until', number | undefined>>,
    limit: number,
  ): Promise<Page<CatalogVersion>> {
    const { text, params } = conditionsOf([
      ['version < ?', before],
      ['at_ms >= ?', since],
      ['at_ms < ?', until],
    ]);
    return readPage<CatalogVersion>(tx, {
      columns: COLUMNS,
      long: ['author', 'note'],
      from: `catalog_version WHERE workspace_id = ?${text}`,
      params: [workspaceId, ...params],
      order: 'version DESC',
      limit,
    });
  },

  /** The authors of the versions of a workspace above `version`. */
  async authorsAfter(tx: Tx, workspaceId: string, version: number): Promise<(string | null)[]> {
    const rows = await tx.sql.all<{ author: string | null }>(
      'SELECT DISTINCT author FROM catalog_version WHERE workspace_id = ? AND version > ?',
      [workspaceId, version],
    );
    return rows.map(({ author }) => author);
  },

  /** Stores a version as the newest, and deletes those that are no longer kept. The caller has locked the head. */
  async add(
    tx: Tx,
    workspaceId: string,
    added: Omit<CatalogVersion, 'at' | 'bytes'> & { readonly body: string },
  ): Promise<void> {
    const { version, author, note, revertOf, body } = added;
    await tx.sql.run(
      `INSERT INTO catalog_version (workspace_id, version, at_ms, author, note, revert_of, bytes, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [workspaceId, version, tx.now, author, note, revertOf, Buffer.byteLength(body), body],
    );
    await tx.sql.run('UPDATE workspace SET catalog_version = ?, catalog_at = ? WHERE workspace_id = ?', [
      version,
      tx.now,
      workspaceId,
    ]);
    await prune(tx, workspaceId, version);
    await tx.notify('settings');
  },
};

/** The newest version and the one before are kept whatever their size. */
async function prune(tx: Tx, workspaceId: string, newest: number): Promise<void> {
  const row = await tx.sql.get<{ version: number | null }>(
    `SELECT max(version) AS version FROM (
       SELECT version, at_ms, SUM(bytes) OVER (ORDER BY version DESC) AS total,
         ROW_NUMBER() OVER (ORDER BY version DESC) AS nth FROM catalog_version WHERE workspace_id = ?) AS v
     WHERE version < ? AND (total > ? OR nth > ? OR (nth > ? AND at_ms < ?))`,
    [workspaceId, newest - 1, KEPT.bytes, KEPT.most, KEPT.newest, tx.now - KEPT.ms],
  );
  if (row?.version === null || row === undefined) return;
  await tx.sql.run('DELETE FROM catalog_version WHERE workspace_id = ? AND version <= ?', [
    workspaceId,
    row.version,
  ]);
}
