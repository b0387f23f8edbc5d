import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class KeysRevoke extends SvcCommand {
  static override summary = 'Revoke an API key of this service';
  static override description =
    `Every node refuses the key from its next request on, and ends open event streams within a second. To replace a key
without a gap, rotate it.`;
  static override examples = ['<%= config.bin %> <%= command.id %> key_3f0c9a --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = {
    key: Args.string({ required: true, description: 'id of the key, as in keys list' }),
  };
  static override flags = { database: databaseFlag };

  protected override async run(context: Context<typeof KeysRevoke>): Promise<void> {
    const { args, out } = context;
    const { workspace, kind } = await withAccounts(context, (accounts) => accounts.revokeKey(args.key));
    out.result(
      { keyId: args.key, workspace, kind, state: 'revoked' },
      () => `revoked key ${args.key} of ${workspace}`,
    );
  }
}
