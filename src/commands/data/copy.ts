import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseOf } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';
import { bytesText } from '../../cli/terminal/bytes.ts';
import { span } from '../../cli/terminal/time.ts';
import {
  copyError,
  placeOf,
  shown,
  sourceOf,
  withProgress,
  workspaceFlag,
  workspacesIn,
} from '../../features/data/places.ts';
import { shell } from '../../kit/shell.ts';

/** Rows a second, for the estimate of --dry-run: about what docs/reference/figures.md gives for 2 cores. */
const PACE = 20_000;

export default class DataCopy extends SvcCommand {
  static override summary = 'Copy the data of the service into another database';
  static override description =
    `Copies workspaces with everything that is theirs (users, keys, catalogs, decisions, models, subscriptions, events,
what waits) between SQLite files, PostgreSQL and Citus, into an empty database or beside other workspaces, and compares
both by counts and digests. The copied workspaces answer 503 in the target until all of it is the same. The service may
run: without --freeze the copy is what the source held at its start, and is frozen itself until it is opened, since
both would send what waits; with it, the source is frozen at the end (its clients get 503 and retry), what changed
follows, and the source stays frozen. Sealed data stays sealed: the data key
is the same. A copy that was interrupted goes on when it is repeated.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --to postgres://svc@db.internal/svc --dry-run --profile local',
    '<%= config.bin %> <%= command.id %> --to postgres://svc@db.internal/svc --freeze --profile local',
    '<%= config.bin %> <%= command.id %> --to shop.db --workspace ws_shop --profile local',
  ];
  static override exitCodes = [0, 1, 2, 6, 130] as const;
  static override flags = {
    ...workspaceFlag,
    from: Flags.string({
      summary: 'SQLite file or postgres:// URL to read (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE|URL',
    }),
    to: Flags.string({
      summary: 'SQLite file or postgres:// URL to write',
      helpValue: 'FILE|URL',
      required: true,
    }),
    freeze: Flags.boolean({
      summary: 'freeze the source at the end, for good, so that the copy lacks nothing',
    }),
    resume: Flags.boolean({ hidden: true, summary: 'as without it: a copy that was interrupted goes on' }),
    'dry-run': Flags.boolean({ summary: 'write nothing: count what would be copied' }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask before the source is frozen' }),
  };

  protected override async run(context: Context<typeof DataCopy>): Promise<void> {
    const { flags, out, world, paths, signal, invocation } = context;
    const from = sourceOf(flags.from, context, '--from');
    const to = placeOf(databaseOf(flags.to, world, paths, out, '--to'), context);
    if (from.database === to.database)
      throw new SvcError('usage', 'source and target are the same database', {
        hint: 'name another one with --to',
      });
    const named = workspacesIn(flags);
    const { copyData, measureData } = await import('../../service/admin/admin.ts');
    if (flags['dry-run']) {
      const measured = await measureData(from, to.database, named, world.clock).catch((error: unknown) => {
        throw copyError(error, from.database, '--from');
      });
      const rows = measured.tables.reduce((sum, each) => sum + each.rows, 0);
      const bytes = measured.tables.reduce((sum, each) => sum + each.bytes, 0);
      const seconds = Math.ceil(rows / PACE);
      return out.result({ dryRun: true, ...measured, rows, bytes, seconds }, () => [
        `${rows.toLocaleString('en-US')} rows, about ${bytesText(bytes)}, of ${measured.workspaces.join(', ')}\n`,
        ...measured.tables.map(({ table, rows: count }) => `  ${table}: ${count.toLocaleString('en-US')}\n`),
        measured.free === null ? '' : `free where they would be: ${bytesText(measured.free)}\n`,
        `about ${span(seconds * 1000)}; nothing was copied`,
      ]);
    }
    if (flags.freeze && !flags.yes) {
      const sure = await confirm(world, `Freeze the source at the end? Its clients get 503 from then on.`, {
        noInput: flags['no-input'],
        instead: (invocation) => invocation.rerunWith('--yes'),
      });
      if (!sure)
        throw new SvcError('usage', 'nothing was copied', {
          hint: (invocation) => invocation.rerunWith('--yes'),
        });
    }
    const reopen = (id: string) =>
      flags.from === undefined
        ? invocation.onSameService('workspaces', 'open', id)
        : shell`svc workspaces open ${id} --database ${shown(from.database)}`;
    const start = world.clock.now();
    const copied = await withProgress(context, (onProgress) =>
      copyData(from, to, {
        workspaces: named,
        freeze: flags.freeze,
        opens: flags.freeze,
        clock: world.clock,
        signal,
        onProgress,
      }),
    ).catch((error: unknown) => {
      const { message, database } = error as Error & { database?: string };
      const isOfSource =
        database === undefined ? message.includes(from.database) : database === from.database;
      throw isOfSource
        ? copyError(error, from.database, '--from', reopen)
        : copyError(error, to.database, '--to', reopen);
    });
    const { workspaces, rows, frozenMs, tables } = copied;
    const elapsedMs = world.clock.now() - start;
    out.result(
      {
        from: shown(from.database),
        to: shown(to.database),
        workspaces,
        rows,
        tables,
        equal: true,
        frozenMs,
        elapsedMs,
      },
      () => [
        `copied ${workspaces.join(', ')}: ${rows.toLocaleString('en-US')} rows of ${tables.length} tables, with the same counts and digests in both`,
      ],
    );
    if (frozenMs !== null)
      out.notice(
        `the source was frozen for ${span(frozenMs)} until then, and stays frozen; to use it again${workspaces.length > 1 ? ', for each' : ''}: ${reopen(workspaces[0]!)}`,
      );
    else
      out.notice(
        `the copy is frozen, since the source goes on and both would send what waits; to use it${workspaces.length > 1 ? ', for each' : ''}: ${shell`svc workspaces open ${workspaces[0]!} --database ${shown(to.database)}`}`,
      );
    out.notice(shell`to serve the copy: svc serve --database ${shown(to.database)}`);
  }
}
