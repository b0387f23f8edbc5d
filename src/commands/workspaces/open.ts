import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class WorkspacesOpen extends SvcCommand {
  static override summary = 'Open a frozen workspace of this service again';
  static override description =
    `Requests are answered again, and what waited goes on. One that is being copied into this database opens when the copy is
complete, and not before.`;
  static override examples = ['<%= config.bin %> <%= command.id %> ws_shop --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = { workspace: Args.string({ required: true, description: 'id of the workspace' }) };
  static override flags = { database: databaseFlag };

  protected override async run(context: Context<typeof WorkspacesOpen>): Promise<void> {
    const { args, out } = context;
    await withAccounts(context, (accounts) => accounts.openWorkspace(args.workspace));
    out.result({ workspace: args.workspace, frozenAt: null }, () => `${args.workspace} is open`);
  }
}
