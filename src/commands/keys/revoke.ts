import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';
import { withAccounts } from '../../features/accounts/open.ts';

export default class KeysRevoke extends SvcCommand {
  static override summary = 'Revoke an API key of this service';
  static override description =
    `Every node refuses the key from its next request on, and ends open event streams within a second. To replace a key
without a gap, rotate it. Asks before it revokes, and refuses without a terminal; --yes answers for you.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> key_3f0c9a --yes --profile local',
    '<%= config.bin %> <%= command.id %> key_3f0c9a --yes --json --profile local',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = {
    key: Args.string({ required: true, description: 'id of the key, as in keys list' }),
  };
  static override flags = {
    database: databaseFlag,
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run(context: Context<typeof KeysRevoke>): Promise<void> {
    const { args, flags, out, world } = context;
    if (!flags.yes) {
      // Not while the database is open: a person may take long.
      const { name, workspace, lastUsedAt } = await withAccounts(context, (accounts) =>
        accounts.getKey(args.key),
      );
      const used =
        lastUsedAt === null ? 'never used' : `last used ${new Date(Number(lastUsedAt)).toISOString()}`;
      const named = name === null ? '' : ` (${name})`;
      const sure = await confirm(world, `Revoke the key ${args.key}${named} of ${workspace}, ${used}?`, {
        noInput: flags['no-input'],
        instead: (invocation) => invocation.rerunWith('--yes'),
      });
      if (!sure)
        throw new SvcError('usage', 'nothing was revoked', {
          hint: (invocation) => invocation.rerunWith('--yes'),
        });
    }
    const { workspace, kind } = await withAccounts(context, (accounts) => accounts.revokeKey(args.key));
    out.result(
      { keyId: args.key, workspace, kind, state: 'revoked' },
      () => `revoked key ${args.key} of ${workspace}`,
    );
  }
}
