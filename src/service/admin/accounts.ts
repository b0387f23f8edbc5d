import { newId } from '../../kit/id.ts';
import { isMoved, isUnfinished } from '../copy/marks.ts';
import { type ApiKey, apiKeys, type KeyKind, newApiKey } from '../http/access/api-keys.ts';
import { userToken } from '../http/access/user-token.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { testClock } from '../platform/store/test-clock.ts';
import {
  type ClientEvents,
  type ClientSettings,
  type StoredWorkspace,
  type Workspace,
  workspaces,
} from '../platform/store/workspaces.ts';
import { createWorkspaceRows } from './create-workspace.ts';
import { type IdentifiedUser, identifyUser, type UserIdentifier } from './user-records.ts';

/** A workspace or a key cannot be created or changed as asked. */
class AccountError extends Error {
  override readonly name = 'AccountError';
  readonly reason:
    | 'exists'
    | 'unknown_workspace'
    | 'several_workspaces'
    | 'unfinished_copy'
    | 'other_kind'
    | 'unknown_key'
    | 'ended_key'
    | 'not_test'
    | 'test_clock';

  /** The workspace that exists already. */
  readonly workspace: string | undefined;

  constructor(reason: AccountError['reason'], message: string, workspace?: string) {
    super(message);
    this.reason = reason;
    this.workspace = workspace;
  }
}

/** A key as it is created: the only time that it is shown. */
export interface NewKey {
  readonly keyId: string;
  readonly key: string;
  readonly kind: KeyKind;
  readonly name: string | null;
  readonly workspace: string;
}

/** A key that replaces another, and when that one ends, Unix ms. */
export interface RotatedKey extends NewKey {
  readonly oldEndsAt: number;
}

/** Creates a workspace with its first key. Throws AccountError. */
export function createWorkspace(
  store: Store,
  id: string | undefined,
  mode: 'live' | 'test',
  region: string | null = null,
): Promise<NewKey> {
  return store.write(async (tx) => {
    await refuseLiveWithTestClock(tx, mode);
    const workspace = { id: id ?? newId('ws'), region, mode };
    if (!(await createWorkspaceRows(tx, workspace)))
      throw new AccountError('exists', `workspace ${workspace.id} exists already`, workspace.id);
    return addKey(tx, workspace, mode, null);
  });
}

export function listWorkspaces(store: Store): Promise<(StoredWorkspace & { createdAt: number })[]> {
  return store.read((tx) => workspaces.list(tx));
}

/** What is changed of a workspace; what is left out stays. */
export interface WorkspaceChange {
  readonly mode?: 'live' | 'test' | undefined;
  readonly region?: string | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly openClients?: boolean | undefined;
  /** The events that apps may track; null for any. */
  readonly clientEvents?: ClientEvents | null | undefined;
}

/** A workspace with its client settings. */
export interface ChangedWorkspace {
  readonly mode: Workspace['mode'];
  readonly region: Workspace['region'];
  readonly clients: ClientSettings;
}

/** Changes a workspace. Returns it as it is then. Throws AccountError. */
export function updateWorkspace(
  store: Store,
  id: string,
  change: WorkspaceChange,
): Promise<ChangedWorkspace> {
  return store.write(async (tx) => {
    const before = await workspaceOf(tx, id);
    const { origins, open, events } = await workspaces.clientSettings(tx, id);
    const mode = change.mode ?? before.mode;
    if (change.openClients && mode !== 'test')
      throw new AccountError(
        'not_test',
        `workspace ${id} is no test workspace: apps with its keys need user tokens`,
      );
    // A live workspace is never open, also not after it was a test one again.
    const clients = {
      origins: change.origins ?? origins,
      open: mode === 'test' && (change.openClients ?? open),
      events: change.clientEvents === undefined ? events : (change.clientEvents ?? undefined),
    };
    await refuseLiveWithTestClock(tx, change.mode);
    if (change.mode) await workspaces.setMode(tx, id, change.mode);
    if (change.region) await workspaces.setRegion(tx, id, change.region);
    await workspaces.setClientSettings(tx, id, clients);
    return { mode, region: change.region ?? before.region, clients };
  });
}

/** Lets a workspace rest. Returns since when it does, Unix ms. Throws AccountError. */
export function freezeWorkspace(store: Store, id: string): Promise<number> {
  return store.write(async (tx) => {
    const { frozenAt } = await workspaceOf(tx, id);
    await workspaces.freeze(tx, [id]);
    return Number(frozenAt ?? tx.now);
  });
}

/** Ends the rest of a workspace. Throws AccountError. */
export function openWorkspace(store: Store, id: string): Promise<void> {
  return store.write(async (tx) => {
    await workspaceOf(tx, id);
    if (await isUnfinished(tx, id))
      throw new AccountError('unfinished_copy', `the copy of ${id} into this database is not complete`);
    if (await isMoved(tx, id))
      throw new AccountError('unfinished_copy', `${id} is being copied into another database`);
    await workspaces.open(tx, [id]);
  });
}

/** Identifies a user of a workspace, which may be left out where there is only one. Throws AccountError. */
export async function identify(
  store: Store,
  id: string | undefined,
  user: UserIdentifier,
): Promise<IdentifiedUser> {
  const workspace = await store.read((tx) => workspaceOf(tx, id));
  return identifyUser(store, workspace.id, user);
}

/** Makes a token for a user of a workspace, which may be left out where there is only one. Throws AccountError. */
export async function tokenFor(
  store: Store,
  cipher: Cipher,
  id: string | undefined,
  { hashId, userId }: { readonly hashId: string; readonly userId?: string | undefined },
  seconds: number,
): Promise<{ token: string; expiresAt: string }> {
  return store.read(async (tx) =>
    userToken(cipher, (await workspaceOf(tx, id)).id, hashId, tx.now, seconds, userId),
  );
}

/**
 * Creates a key of a workspace, which may be left out where there is only one. The kind of a server key is that of the
 * workspace's mode. `name` says in words what the key is for.
 * Throws AccountError.
 */
export function createKey(
  store: Store,
  id: string | undefined,
  kind: KeyKind | undefined,
  name?: string,
): Promise<NewKey> {
  return store.write(async (tx) => {
    const workspace = await workspaceOf(tx, id);
    const { mode } = workspace;
    if (kind !== undefined && kind !== 'publishable' && kind !== mode)
      throw new AccountError(
        'other_kind',
        `workspace ${workspace.id} is a ${mode} workspace: it has no ${kind} keys`,
      );
    return addKey(tx, workspace, kind ?? mode, name ?? null);
  });
}

/** Lists the keys of a workspace, or of all, with the time of the service. Throws AccountError for an unknown workspace. */
export function listKeys(store: Store, id: string | undefined): Promise<{ keys: ApiKey[]; now: number }> {
  return store.read(async (tx) => {
    if (id !== undefined) await workspaceOf(tx, id);
    return { keys: await apiKeys.list(tx, id), now: tx.now };
  });
}

/** What is known of a key. Throws AccountError. */
export function getKey(store: Store, keyId: string): Promise<ApiKey> {
  return store.read((tx) => keyOf(tx, keyId));
}

/** Revokes a key at once. Returns it as it was. Throws AccountError. */
export function revokeKey(store: Store, keyId: string): Promise<ApiKey> {
  return store.write(async (tx) => {
    const key = await keyOf(tx, keyId);
    await apiKeys.end(tx, keyId, 0);
    return key;
  });
}

/**
 * Creates a key that replaces another, which ends after `graceMs`: with its name, publishable if it is, and else of the
 * kind of the workspace's mode. Throws AccountError.
 */
export function rotateKey(store: Store, keyId: string, graceMs: number): Promise<RotatedKey> {
  return store.write(async (tx) => {
    const { workspace, kind, name, endsAt } = await keyOf(tx, keyId);
    if (endsAt !== null && endsAt <= tx.now)
      throw new AccountError(
        'ended_key',
        `key ${keyId} is not valid any more, so there is nothing to rotate in workspace ${workspace}`,
      );
    const holder = await workspaceOf(tx, workspace);
    // The workspace may have gone live since the key was created.
    const kindNow = kind === 'publishable' ? kind : (holder.mode ?? kind);
    const replacement = await addKey(tx, holder, kindNow, name);
    await apiKeys.end(tx, keyId, graceMs === 0 ? 0 : tx.now + graceMs);
    return { ...replacement, oldEndsAt: Math.min(endsAt ?? Number.POSITIVE_INFINITY, tx.now + graceMs) };
  });
}

/** Throws AccountError for a live workspace where the time is not that of the world. */
async function refuseLiveWithTestClock(tx: Tx, mode: 'live' | 'test' | undefined): Promise<void> {
  if (mode !== 'live') return;
  await tx.lock('test clock');
  if (await testClock.get(tx))
    throw new AccountError(
      'test_clock',
      'this store has a test clock, so all of its workspaces are test ones',
    );
}

async function addKey(tx: Tx, { id }: Workspace, kind: KeyKind, name: string | null): Promise<NewKey> {
  const key = newApiKey(kind);
  return { keyId: await apiKeys.add(tx, id, key, kind, name), key, kind, name, workspace: id };
}

async function workspaceOf(tx: Tx, id: string | undefined): Promise<StoredWorkspace> {
  if (id === undefined) {
    const all = await workspaces.list(tx);
    if (all.length > 1)
      throw new AccountError('several_workspaces', `there are ${all.length} workspaces: name one`);
    if (all.length === 0) throw new AccountError('unknown_workspace', 'there is no workspace yet');
    return all[0]!;
  }
  const workspace = await workspaces.get(tx, id);
  if (!workspace) throw new AccountError('unknown_workspace', `there is no workspace ${id}`);
  return workspace;
}

async function keyOf(tx: Tx, keyId: string): Promise<ApiKey> {
  const key = await apiKeys.get(tx, keyId);
  if (!key) throw new AccountError('unknown_key', `there is no key ${keyId}`);
  return key;
}
