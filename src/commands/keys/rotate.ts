import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { newKeyText, newKeyView } from '../../features/accounts/view.ts';

export default class KeysRotate extends SvcCommand {
  static override summary = 'Replace an API key of this service by a new one';
  static override description =
    'Creates a key of the same workspace, kind and name, and prints it once. The old one stays valid for a while.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> key_3f0c9a --profile local',
    '<%= config.bin %> <%= command.id %> key_3f0c9a --valid-for 0s --json --profile local | jq -r .key',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = {
    key: Args.string({ required: true, description: 'id of the key, as in keys list' }),
  };
  static override flags = {
    database: databaseFlag,
    'valid-for': Flags.string({
      summary: 'how long the old key stays valid',
      default: '24h',
      helpValue: '24h',
    }),
  };

  protected override async run(context: Context<typeof KeysRotate>): Promise<void> {
    const { args, flags, out } = context;
    const graceMs = parseDuration(flags['valid-for'], '--valid-for');
    const made = await withAccounts(context, (accounts) => accounts.rotateKey(args.key, graceMs));
    out.result({ ...newKeyView(made), replaces: args.key }, () => newKeyText(made));
    out.notice(
      graceMs === 0
        ? `revoked key ${args.key}; the new key is shown this once`
        : `${args.key} stays valid until ${new Date(made.oldEndsAt).toISOString()}; the new key is shown this once`,
    );
  }
}
