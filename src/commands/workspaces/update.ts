import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class WorkspacesUpdate extends SvcCommand {
  static override summary = 'Set the mode of a workspace of this service';
  static override description =
    `A test workspace sends notifications to the outbox file only; a live one through the configured channels. Its keys stay
valid.`;
  static override examples = ['<%= config.bin %> <%= command.id %> ws_shop --mode live --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = { workspace: Args.string({ required: true, description: 'id of the workspace' }) };
  static override flags = {
    database: databaseFlag,
    mode: Flags.string({
      summary: 'whether it sends notifications to people',
      options: ['live', 'test'] as const,
      required: true,
      helpValue: 'live|test',
    }),
  };

  protected override async run(context: Context<typeof WorkspacesUpdate>): Promise<void> {
    const { args, flags, out } = context;
    const mode = flags.mode as 'live' | 'test';
    await withAccounts(context, (accounts) => accounts.setMode(args.workspace, mode));
    out.result({ workspace: args.workspace, mode }, () => `${args.workspace} is a ${mode} workspace`);
  }
}
