import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';

export default class DataReset extends SvcCommand {
  static override summary = 'Remove the data of the service on this machine';
  static override description =
    `Events, users, decisions, notifications, webhooks and settings are gone for good, and the journals of imports into it;
workspace and API key stay the same. Also for data that is damaged. Files that are not ours stay. Never that of a service elsewhere: naming one is refused.`;
  static override examples = ['<%= config.bin %> <%= command.id %> --profile local --yes'];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = {
    database: Flags.string({
      summary: 'SQLite file; SVC_DATABASE_URL, else that of `local`, unless given',
      helpValue: 'FILE',
    }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  };

  protected override async run({ flags, out, world, paths }: Context<typeof DataReset>): Promise<void> {
    const { isPostgres } = await import('../../service/store/postgres/url.ts');
    const database = localDatabase(flags, world, paths, out);
    if (isPostgres(database))
      throw new SvcError('usage', 'a shared database is not reset from here', {
        hint: 'drop it with the tools of PostgreSQL, then run `svc serve migrate`',
      });
    const sure =
      flags.yes ||
      (await confirm(world, `Remove all data in ${database}?`, {
        noInput: flags['no-input'],
        instead: (invocation) => invocation.again('--yes'),
      }));
    if (!sure)
      throw new SvcError('usage', 'nothing was removed', { hint: (invocation) => invocation.again('--yes') });
    const { resetData } = await import('../../features/data/reset.ts');
    const { files, journals } = resetData(database, paths.dataDir);
    out.result({ database, removed: [...files, ...journals] }, () => [
      files.length === 0 ? `there was no data at ${database}` : `removed the data at ${database}`,
      journals.length === 0 ? '' : `; imports into it begin anew (journals removed: ${journals.length})`,
    ]);
  }
}
