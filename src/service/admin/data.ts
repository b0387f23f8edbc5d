import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { isAlive } from '../../kit/files/is-alive.ts';
import { ensurePrivateDir, writePrivateFile } from '../../kit/files/private-file.ts';
import { type Manifest, pack, unpack } from '../copy/backup.ts';
import { type Copied, copyStore, measure } from '../copy/copy.ts';
import { CopyRefused, namedIn } from '../copy/marks.ts';
import type { CopyOptions } from '../copy/passes.ts';
import { createCipher } from '../platform/crypto/cipher.ts';
import { connectStore, filesOf } from '../platform/open.ts';
import { isPostgres } from '../platform/store/postgres/url.ts';
import { MIGRATIONS, versionOf } from '../platform/store/schema/index.ts';
import { BACKUP, settings } from '../platform/store/settings.ts';
import { type Store, StoreUnusable } from '../platform/store/store.ts';

/** A database, and what belongs to it on this machine. */
export interface DataPlace {
  readonly database: string;
  readonly dataDir: string;
  /** SVC_DATA_KEY. */
  readonly dataKey: string | undefined;
}

/** The workspaces, rows and bytes that a copy would hold, and the free bytes where it would be; null where that is unknown. */
export async function measureData(
  from: DataPlace,
  to: string | undefined,
  named: readonly string[],
  clock: Clock,
) {
  return withStore(from.database, clock, async (store) => ({
    ...(await measure(store, named)),
    free: to === undefined || isPostgres(to) ? null : freeIn(dirname(resolve(to))),
  }));
}

/**
 * Copies workspaces into another database (copy.ts). The data key and the credentials on this machine follow, where the
 * target has none. Rejects with CopyRefused, CopyDiffers, SourceFrozen, StoreUnusable or StoreUnavailable.
 */
export async function copyData(from: DataPlace, to: DataPlace, options: CopyOptions): Promise<Copied> {
  return withStore(from.database, options.clock, async (source) => {
    // Before a file is made.
    await namedIn(source, options.workspaces);
    const fingerprint = await source.read((tx) => settings.get<string>(tx, 'dataKeyFingerprint'));
    const hasKey = checkKey(fingerprint ?? null, to);
    return withStore(to.database, options.clock, async (target) => {
      if (!hasKey) followKey(from, to);
      const copied = await copyStore(source, target, options);
      const [own, theirs] = [from, to].map(
        ({ database, dataDir }) => `${filesOf(database, dataDir)}.credentials.json`,
      );
      if (existsSync(own!) && !existsSync(theirs!)) writePrivateFile(theirs!, readFileSync(own!));
      return copied;
    });
  });
}

/**
 * Writes a backup of a moment, also while services run on the database. Resolves to what it says of itself. Rejects as
 * `copyData` does.
 */
export async function backupData(
  from: DataPlace,
  file: string,
  version: string,
  options: Omit<CopyOptions, 'freeze' | 'opens'>,
): Promise<Manifest> {
  return withStore(from.database, options.clock, (source) =>
    withScratch(dirname(resolve(file)), async (scratch) => {
      const createdAt = new Date(options.clock.now()).toISOString();
      const { workspaces, rows, tables } = await withStore(scratch, options.clock, (target) =>
        copyStore(source, target, { ...options, freeze: false, opens: true }),
      );
      const dataKey = await source.read((tx) => settings.get<string>(tx, 'dataKeyFingerprint'));
      const said = {
        version,
        schema: versionOf(MIGRATIONS),
        createdAt,
        dataKey: dataKey ?? null,
        workspaces: [...workspaces],
        rows,
        tables: tables.map(({ table, rows: count, digest }) => ({ table, rows: count, digest })),
      };
      const manifest = await pack(scratch, `${scratch}.gz`, said, file, options.signal);
      await source.write((tx) => settings.set(tx, BACKUP, Date.parse(createdAt)));
      return manifest;
    }),
  );
}

/** Reads a backup to its end, and copies it into a database. Rejects with BackupDamaged, or as `copyData` does. */
export async function restoreData(
  file: string,
  to: DataPlace,
  options: Omit<CopyOptions, 'freeze' | 'opens'>,
): Promise<{ manifest: Manifest; copied: Copied; hasKey: boolean }> {
  const folder = isPostgres(to.database) ? to.dataDir : dirname(resolve(to.database));
  return withScratch(folder, async (scratch) => {
    const manifest = await unpack(file, scratch, options.signal);
    if (manifest.schema > versionOf(MIGRATIONS))
      throw new StoreUnusable(
        `${file} was written by a newer version of svc (${manifest.version}): upgrade svc`,
      );
    const hasKey = checkKey(manifest.dataKey, to);
    const copied = await withStore(scratch, options.clock, (source) =>
      withStore(to.database, options.clock, (target) =>
        copyStore(source, target, { ...options, freeze: false, opens: true }),
      ),
    );
    return { manifest, copied, hasKey };
  });
}

/** When the last backup of a database was made, Unix ms; undefined if none was. */
export const lastBackup = (database: string, clock: Clock): Promise<number | undefined> =>
  withStore(database, clock, (store) => store.read((tx) => settings.get<number>(tx, BACKUP)));

/** Copies the file with the data key to where the target, which has none, looks for it. */
function followKey(from: DataPlace, to: DataPlace): void {
  const file = `${filesOf(from.database, from.dataDir)}.key`;
  if (!existsSync(file)) return;
  const copy = `${filesOf(to.database, to.dataDir)}.key`;
  ensurePrivateDir(dirname(copy));
  writePrivateFile(copy, readFileSync(file));
}

/** Whether this machine has the key of a target. Throws CopyRefused if it has another one than that with this fingerprint. */
function checkKey(fingerprint: string | null, { database, dataDir, dataKey }: DataPlace): boolean {
  const file = `${filesOf(database, dataDir)}.key`;
  const key = dataKey ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
  if (key === undefined) return false;
  const own = /^[0-9a-f]{64}$/i.test(key) ? createCipher(Buffer.from(key, 'hex')).fingerprint : undefined;
  if (fingerprint !== null && own !== fingerprint)
    throw new CopyRefused(
      'other_key',
      `${dataKey === undefined ? file : 'SVC_DATA_KEY'} holds another data key (${own ?? 'damaged'}) than the one that the data is encrypted with (${fingerprint})`,
    );
  return true;
}

/** The database of an error is the one that could not be opened. */
async function withStore<T>(database: string, clock: Clock, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await connectStore(database, clock).catch((error: unknown) => {
    throw Object.assign(error as Error, { database });
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Gives work the name of an SQLite file that is removed afterwards, as are those of processes that were killed. */
async function withScratch<T>(folder: string, work: (file: string) => Promise<T>): Promise<T> {
  ensurePrivateDir(folder);
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  for (const name of readdirSync(folder)) {
    const [, of, pid] = /^\.svc-backup-([0-9a-f]{8})-(\d+)-/.exec(name) ?? [];
    if (of === host && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const own = mkdtempSync(join(folder, `.svc-backup-${host}-${process.pid}-`));
  try {
    return await work(join(own, 'data.db'));
  } catch (error) {
    const failed = error as NodeJS.ErrnoException;
    // The error of a stream names no file.
    if (failed.syscall === 'write') failed.path ??= folder;
    throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
