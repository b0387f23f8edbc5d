import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import {
  copyError,
  placeOf,
  shown,
  withProgress,
  workspaceFlag,
  workspacesIn,
} from '../../features/data/places.ts';
import { shell } from '../../kit/shell.ts';

export default class DataRestore extends SvcCommand {
  static override summary = 'Restore the data of a backup into a database';
  static override description =
    `Reads the whole file first: one that was cut short, or changed in a byte, is refused before anything is written. Then its
workspaces are copied into an SQLite file or PostgreSQL, empty or beside other workspaces, and compared by counts and digests.
Deliveries and notifications that were sent after the backup may be sent again.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> svc-2026-11-26.backup --database restored.db',
    '<%= config.bin %> <%= command.id %> shop.backup --database shop-restored.db',
  ];
  static override exitCodes = [0, 1, 2, 6, 130] as const;
  static override args = { file: Args.string({ required: true, description: 'backup to read' }) };
  static override flags = {
    ...workspaceFlag,
    database: Flags.string({
      summary:
        'SQLite file or postgres:// URL to write (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE|URL',
    }),
  };

  protected override async run(context: Context<typeof DataRestore>): Promise<void> {
    const { args, flags, out, world, paths, signal } = context;
    const to = placeOf(localDatabase({ ...flags, workspace: undefined }, world, paths, out), context);
    const file = resolve(world.cwd, args.file);
    try {
      closeSync(openSync(file, 'r'));
    } catch (error) {
      throw fileError(args.file, error);
    }
    const { restoreData } = await import('../../service/admin/admin.ts');
    const { manifest, copied, hasKey } = await withProgress(context, (onProgress) =>
      restoreData(file, to, {
        workspaces: workspacesIn(flags),
        clock: world.clock,
        signal,
        onProgress,
      }),
    ).catch((error: unknown) => {
      const { name, message, database } = error as Error & { database?: string };
      // Not the target's: what it advises would delete that.
      if (name === 'StoreUnusable' && database !== undefined && database !== to.database)
        throw new SvcError('data', `nothing was restored: ${args.file} cannot be read: ${message}`, {
          hint: 'use another backup, or the version of svc that wrote this one',
          cause: error,
        });
      throw copyError(error, to.database, '--database');
    });
    const { workspaces, rows, tables } = copied;
    const { createdAt, dataKey } = manifest;
    const database = shown(to.database);
    out.result({ database, createdAt, workspaces, rows, tables, dataKey }, () => [
      `restored ${workspaces.join(', ')} as they were at ${createdAt}: ${rows.toLocaleString('en-US')} rows of ${tables.length} tables`,
    ]);
    if (dataKey !== null && !hasKey)
      out.notice(`the service needs the data key with fingerprint ${dataKey}: give it in SVC_DATA_KEY`);
    out.notice(shell`to serve it: svc serve --database ${database}`);
  }
}
