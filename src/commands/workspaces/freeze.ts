import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class WorkspacesFreeze extends SvcCommand {
  static override summary = 'Let a workspace of this service rest';
  static override description =
    `Requests of a frozen workspace are answered with 503 and Retry-After, also those of providers and of links to unsubscribe, and
nothing of it is sent, learned or removed. What waits goes on when the workspace is opened. Running services act on it at
once.`;
  static override examples = ['<%= config.bin %> <%= command.id %> ws_shop --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = { workspace: Args.string({ required: true, description: 'id of the workspace' }) };
  static override flags = { database: databaseFlag };

  protected override async run(context: Context<typeof WorkspacesFreeze>): Promise<void> {
    const { args, out, invocation } = context;
    const since = await withAccounts(context, (accounts) => accounts.freezeWorkspace(args.workspace));
    const frozenAt = new Date(since).toISOString();
    out.result(
      { workspace: args.workspace, frozenAt },
      () => `${args.workspace} is frozen since ${frozenAt}`,
    );
    out.notice(`to open it: ${invocation.onSameResource(args.workspace, 'workspaces', 'open')}`);
  }
}
