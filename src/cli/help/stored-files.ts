import type { Paths } from '../connection/paths.ts';

/** A file or folder that svc writes, and its content. */
export interface StoredFile {
  readonly path: string;
  readonly holds: string;
}

/** Lists every file that svc writes at a path of its own choice. */
export function storedFiles({ configDir, dataDir, database, codeCacheDir }: Paths): StoredFile[] {
  return [
    {
      path: `${configDir}/profiles.json`,
      holds: 'profiles, their keys and the signing secrets made here; mode 0600',
    },
    {
      path: database,
      holds: 'the data of the profile local and of `svc serve`: one SQLite file (with -wal and -shm)',
    },
    {
      path: `${database}.credentials.json`,
      holds: 'workspace and server key made at the first start; mode 0600',
    },
    {
      path: `${database}.key`,
      holds: 'key of the personal fields; without it they cannot be read; mode 0600',
    },
    { path: `${database}.outbox.ndjson`, holds: 'notifications of channels that have no provider' },
    { path: `${dataDir}/limits/`, holds: 'the rate limits last seen, per service and workspace' },
    {
      path: `${dataDir}/console/`,
      holds:
        'the port and a secret of a running console, by which another `svc console` finds it; removed when it ends; mode 0600',
    },
    {
      path: `${dataDir}/imports/`,
      holds:
        'journals of imports, about 12 KB each, and which rejects file belongs to which import. The journal of a finished import may be deleted: its file then counts as never imported. `svc data reset` removes the journals of the data that it removes',
    },
    {
      path: `${dataDir}/downloads/`,
      holds:
        'files of addresses that were imported, for --resume and the next import; removed 7 days after their last use; mode 0600',
    },
    {
      path: '<file>.rejects.ndjson',
      holds: 'beside an imported file: the records that were rejected, and why',
    },
    {
      path: `${codeCacheDir}/`,
      holds:
        'compiled code, for a quick start, and identifiers for completion (30 s; mode 0600); may be deleted at any time',
    },
  ];
}
