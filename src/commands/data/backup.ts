import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import {
  copyError,
  sourceOf,
  withProgress,
  workspaceFlag,
  workspacesIn,
} from '../../features/data/places.ts';

export default class DataBackup extends SvcCommand {
  static override summary = 'Write the data of the service into one compressed file';
  static override description =
    `The file (0600) holds all rows of a moment, also while the service runs, with their counts and digests, and is checked
as a whole before it is restored, into SQLite or PostgreSQL. It does not hold the data key: keep that apart, since
without it personal fields and webhook secrets cannot be read. \`svc doctor\` warns when the last backup is old.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> svc-2026-11-26.backup --profile local',
    '<%= config.bin %> <%= command.id %> shop.backup --workspace ws_shop --profile local',
  ];
  static override exitCodes = [0, 1, 2, 6, 130] as const;
  static override args = { file: Args.string({ required: true, description: 'file to write' }) };
  static override flags = {
    ...workspaceFlag,
    database: Flags.string({
      summary: 'SQLite file or postgres:// URL (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE|URL',
    }),
    force: Flags.boolean({ summary: 'replace the file if it exists' }),
  };

  protected override async run(context: Context<typeof DataBackup>): Promise<void> {
    const { args, flags, out, world, signal, version } = context;
    const from = sourceOf(flags.database, context);
    if (args.file === '-' || /^\w+:\/\//.test(args.file))
      throw new SvcError('usage', 'a backup is a file on this machine', {
        hint: 'name a file; --database names what is read',
      });
    const file = resolve(world.cwd, args.file);
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there && !there.isFile())
      throw new SvcError('file', `${args.file} is not a file that can be replaced`, {
        hint: 'name another file',
      });
    if (there && !flags.force)
      throw new SvcError('file', `${args.file} exists already`, {
        hint: (invocation) => `name another file, or replace it: ${invocation.rerunWith('--force')}`,
      });
    const { backupData } = await import('../../service/admin/admin.ts');
    // The service may run on the same machine.
    world.lowerPriority();
    const manifest = await withProgress(context, (onProgress) =>
      backupData(from, file, version, {
        workspaces: workspacesIn(flags),
        clock: world.clock,
        signal,
        onProgress,
      }),
    ).catch((error: unknown) => {
      throw copyError(error, from.database, '--database');
    });
    const { createdAt, workspaces, rows, tables, dataKey } = manifest;
    out.result({ file: args.file, createdAt, workspaces, rows, tables, dataKey }, () => [
      `wrote ${args.file}: ${rows.toLocaleString('en-US')} rows of ${workspaces.join(', ')}, as they were at ${createdAt}`,
    ]);
    if (dataKey !== null)
      out.notice(`keep the data key with fingerprint ${dataKey} apart from it: it is not in the file`);
  }
}
