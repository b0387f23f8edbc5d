import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';

export default class DataReset extends SvcCommand {
  static override summary = 'Remove the data of the service on this machine';
  static override description =
    `Permanently removes events, users, decisions, notifications, webhooks and settings, and the journals of imports into
them, and the data key, without which what is personal in a backup cannot be read: keep a copy of FILE.key for that. The
workspace and the API key stay the same, and files of other programs are not touched. Damaged data can be
reset, too. The data of a remote service cannot be reset, and a command that names one is refused.`;
  static override examples = ['<%= config.bin %> <%= command.id %> --profile local --yes'];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = {
    database: Flags.string({
      summary: 'SQLite file (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE',
    }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run({ flags, out, world, paths }: Context<typeof DataReset>): Promise<void> {
    const { isPostgres } = await import('../../service/admin/admin.ts');
    const database = localDatabase(flags, world, paths, out);
    if (isPostgres(database))
      throw new SvcError('usage', 'cannot reset a PostgreSQL database, because other nodes may use it', {
        hint: 'drop it with PostgreSQL tools, then run `svc serve migrate`',
      });
    const sure =
      flags.yes ||
      (await confirm(
        world,
        `Remove all data in ${database}, and the data key beside it, without which no backup of it can be read?`,
        {
          noInput: flags['no-input'],
          instead: (invocation) => invocation.rerunWith('--yes'),
        },
      ));
    if (!sure)
      throw new SvcError('usage', 'nothing was removed', {
        hint: (invocation) => invocation.rerunWith('--yes'),
      });
    const { resetData } = await import('../../features/data/reset.ts');
    const { files, journals, kept } = await resetData(database, paths.dataDir);
    if (kept.length > 0)
      out.warn(
        `these journals of imports could not be examined; imports into the removed data skip what they hold: ${kept.join(', ')}`,
      );
    out.result({ database, removed: [...files, ...journals] }, () => [
      files.length === 0 ? `no data at ${database}` : `removed the data at ${database}`,
      journals.length === 0
        ? ''
        : `; imports into it start from the beginning (journals removed: ${journals.length})`,
    ]);
  }
}
