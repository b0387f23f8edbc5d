import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class WorkspacesList extends SvcCommand {
  static override summary = 'List the workspaces of this service';
  static override description =
    'A workspace without a mode was created by an earlier version; it sends notifications as a live one does.';
  static override examples = ['<%= config.bin %> <%= command.id %> --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = { database: databaseFlag };

  protected override async run(context: Context<typeof WorkspacesList>): Promise<void> {
    const { out } = context;
    const stored = await withAccounts(context, (accounts) => accounts.listWorkspaces());
    const workspaces = stored.map(({ id, mode, region, createdAt }) => ({
      workspace: id,
      mode,
      region,
      createdAt: new Date(createdAt).toISOString(),
    }));
    out.result({ workspaces }, () =>
      out.table(
        [{ title: 'WORKSPACE', whole: true }, { title: 'MODE' }, { title: 'REGION' }, { title: 'CREATED' }],
        workspaces.map(({ workspace, mode, region, createdAt }) => [
          workspace,
          mode ?? '-',
          region ?? '',
          createdAt.slice(0, 10),
        ]),
      ),
    );
  }
}
