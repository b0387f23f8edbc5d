/**
 * Administration of a database without a running service. The only entry to the stores for code outside the service;
 * loads a store when it is first used, because most commands need none.
 */
import { EXPORT_PAGE, EXPORT_PAGE_BYTES, type ExportType } from '../../contract/export.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Cursor, ExportPage, Span } from '../export/read-page.ts';
import type { ApiKey, KeyKind } from '../http/access/api-keys.ts';
import type { RemovableDatabase } from '../platform/store/sqlite/removal.ts';
import type { ChangedWorkspace, listWorkspaces, NewKey, RotatedKey, WorkspaceChange } from './accounts.ts';
import type { IdentifiedUser, UserIdentifier } from './user-records.ts';

export type { Progress as CopyProgress } from '../copy/passes.ts';
export type { Cursor, Span } from '../export/read-page.ts';
export { isPostgres } from '../platform/store/postgres/url.ts';
export type { DataPlace } from './data.ts';

export interface ExportSession {
  /** The workspaces with identifiers above one, some of them, in order. */
  workspaces(after: string): Promise<string[]>;
  /** Reads a page of records; see service/export/read-page.ts. */
  page(workspace: string, type: ExportType, span: Span, after: Cursor | undefined): Promise<ExportPage>;
  /** Whether a workspace is a copy that is not complete. */
  isUnfinishedCopy(workspace: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Workspaces that are listed at a time. */
const WORKSPACES = 100;

/** Opens a database for export, also while a service runs on it. Rejects with StoreUnusable or StoreUnavailable. */
export async function openForExport(database: string, clock: Clock): Promise<ExportSession> {
  const { connectStore } = await import('../platform/open.ts');
  const { readExportPage } = await import('../export/read-page.ts');
  const { workspaces } = await import('../platform/store/workspaces.ts');
  const { isUnfinished } = await import('../copy/marks.ts');
  const store = await connectStore(database, clock);
  const size = { rows: EXPORT_PAGE, bytes: EXPORT_PAGE_BYTES };
  return {
    workspaces: (after) => store.read((tx) => workspaces.ids(tx, after, WORKSPACES)),
    page: (workspace, type, span, after) =>
      store.read((tx) => readExportPage(tx, workspace, type, span, after, size)),
    isUnfinishedCopy: (workspace) => store.read((tx) => isUnfinished(tx, workspace)),
    close: () => store.close(),
  };
}

interface TokenRequest {
  readonly workspace: string | undefined;
  readonly hashId: string;
  /** The user in the workspace's own terms, which the token then says to the app. */
  readonly userId: string | undefined;
  readonly seconds: number;
  readonly dataDir: string;
  readonly dataKey: string | undefined;
}

/** Workspaces and keys of a database; see service/runtime/accounts.ts. */
export interface Accounts {
  createWorkspace(id: string | undefined, mode: 'live' | 'test', region: string | undefined): Promise<NewKey>;
  listWorkspaces(): ReturnType<typeof listWorkspaces>;
  updateWorkspace(id: string, change: WorkspaceChange): Promise<ChangedWorkspace>;
  freezeWorkspace(id: string): Promise<number>;
  openWorkspace(id: string): Promise<void>;
  createKey(
    workspace: string | undefined,
    kind: KeyKind | undefined,
    name: string | undefined,
  ): Promise<NewKey>;
  getKey(keyId: string): Promise<ApiKey>;
  listKeys(workspace: string | undefined): Promise<{ keys: ApiKey[]; now: number }>;
  identify(workspace: string | undefined, user: UserIdentifier): Promise<IdentifiedUser>;
  /** Makes a token for a user. `dataDir` and `dataKey` are as for the service. Rejects with DataKeyMissing. */
  userToken(request: TokenRequest): Promise<{ token: string; expiresAt: string }>;
  revokeKey(keyId: string): Promise<ApiKey>;
  rotateKey(keyId: string, graceMs: number): Promise<RotatedKey>;
  close(): Promise<void>;
}

/**
 * Opens a database to administer its workspaces and keys, also while services run on it: they act on a change at once.
 * Rejects with StoreUnusable or StoreUnavailable.
 */
export async function openAccounts(database: string, clock: Clock): Promise<Accounts> {
  const { connectStore, filesOf } = await import('../platform/open.ts');
  const accounts = await import('./accounts.ts');
  const store = await connectStore(database, clock);
  return {
    createWorkspace: (id, mode, region) => accounts.createWorkspace(store, id, mode, region),
    listWorkspaces: () => accounts.listWorkspaces(store),
    updateWorkspace: (id, change) => accounts.updateWorkspace(store, id, change),
    freezeWorkspace: (id) => accounts.freezeWorkspace(store, id),
    openWorkspace: (id) => accounts.openWorkspace(store, id),
    createKey: (workspace, kind, name) => accounts.createKey(store, workspace, kind, name),
    getKey: (keyId) => accounts.getKey(store, keyId),
    listKeys: (workspace) => accounts.listKeys(store, workspace),
    identify: (workspace, user) => accounts.identify(store, workspace, user),
    userToken: async ({ workspace, hashId, userId, seconds, dataDir, dataKey }) => {
      const { openDataKey } = await import('../platform/data-key.ts');
      const file = `${filesOf(database, dataDir)}.key`;
      return accounts.tokenFor(
        store,
        await openDataKey(store, file, dataKey, true),
        workspace,
        { hashId, userId },
        seconds,
      );
    },
    revokeKey: (keyId) => accounts.revokeKey(store, keyId),
    rotateKey: (keyId, graceMs) => accounts.rotateKey(store, keyId, graceMs),
    close: () => store.close(),
  };
}

/** What a copy would hold, and the space for it; see service/admin/data.ts. */
export const measureData: typeof import('./data.ts')['measureData'] = async (...given) =>
  (await import('./data.ts')).measureData(...given);

/** Copies workspaces into another database; see service/admin/data.ts. */
export const copyData: typeof import('./data.ts')['copyData'] = async (...given) =>
  (await import('./data.ts')).copyData(...given);

/** Writes a backup; see service/admin/data.ts. */
export const backupData: typeof import('./data.ts')['backupData'] = async (...given) =>
  (await import('./data.ts')).backupData(...given);

/** Restores a backup; see service/admin/data.ts. */
export const restoreData: typeof import('./data.ts')['restoreData'] = async (...given) =>
  (await import('./data.ts')).restoreData(...given);

/** When the last backup was made; see service/admin/data.ts. */
export const lastBackup: typeof import('./data.ts')['lastBackup'] = async (...given) =>
  (await import('./data.ts')).lastBackup(...given);

/** Migrates a database to the schema of this program. Resolves with the versions before and after. */
export async function migrateDatabase(
  database: string,
  clock: Clock,
): Promise<{ readonly from: number; readonly to: number }> {
  const { migrateStore } = await import('../platform/open.ts');
  return migrateStore(database, clock);
}

/** Prepares the removal of an SQLite database. Rejects with StoreForeign or StoreInUse. */
export async function prepareRemoval(file: string): Promise<RemovableDatabase> {
  const { checkRemovable } = await import('../platform/store/sqlite/removal.ts');
  return checkRemovable(file);
}

/** A user, by one of two identifiers; in the named workspace, or in all. */
export interface WhichUser extends UserIdentifier {
  readonly workspace?: string | undefined;
}

export interface PersonalData {
  /** Every record about a user as JSON text, with personal data; undefined if no user has the identifier. */
  recordsOf(user: WhichUser): Promise<AsyncIterable<string> | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a database with its data key, to read what is stored about one user. Rejects with StoreUnusable or
 * StoreUnavailable, also where the data key is missing.
 */
export async function openPersonalData(
  database: string,
  clock: Clock,
  { dataDir, dataKey }: { dataDir: string; dataKey: string | undefined },
): Promise<PersonalData> {
  const { connectStore, filesOf } = await import('../platform/open.ts');
  const { openDataKey } = await import('../platform/data-key.ts');
  const { findUser, userRecords } = await import('./user-records.ts');
  const store = await connectStore(database, clock);
  try {
    const cipher = await openDataKey(store, `${filesOf(database, dataDir)}.key`, dataKey);
    return {
      recordsOf: async (user) => {
        const found = await findUser(store, user);
        return found && userRecords(store, cipher, found);
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
