import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { workspaceRegion, workspaceRegionFlag } from '../../features/accounts/region.ts';
import { newKeyText } from '../../features/accounts/view.ts';

/** As in a header and a file name: what needs no quoting anywhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export default class WorkspacesCreate extends SvcCommand {
  static override summary = 'Create a workspace of this service, with its first key';
  static override description =
    `Prints the key once: only its hash is stored. A test workspace sends notifications to the outbox file only; a live one
through the configured channels. A service that has a region (\`svc serve --region\`) answers a workspace of another
region, or of none, slower: name it with --workspace-region. Works on the data of \`local\` or of --database, also while the service runs.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> shop --mode live --profile local',
    '<%= config.bin %> <%= command.id %> shop-eu --workspace-region eu --profile local',
    '<%= config.bin %> <%= command.id %> --json --profile local | jq -r .key',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = { name: Args.string({ description: 'id of the workspace; random by default' }) };
  static override flags = {
    database: databaseFlag,
    mode: Flags.string({
      summary: 'whether it sends notifications to people',
      options: ['live', 'test'] as const,
      default: 'test',
      helpValue: 'live|test',
    }),
    'workspace-region': workspaceRegionFlag,
  };

  protected override async run(context: Context<typeof WorkspacesCreate>): Promise<void> {
    const { args, flags, out } = context;
    if (args.name !== undefined && !NAME.test(args.name))
      throw new SvcError('usage', `${args.name} cannot be the id of a workspace`, {
        hint: (invocation) =>
          `use letters, digits, ".", "_" and "-", at most 64: ${invocation.onSameService('workspaces', 'create', 'shop-eu')}`,
      });
    const mode = flags.mode as 'live' | 'test';
    const region = workspaceRegion(flags);
    const made = await withAccounts(context, (accounts) => accounts.createWorkspace(args.name, mode, region));
    const { workspace, keyId, key } = made;
    out.result({ workspace, mode, region: region ?? null, keyId, key, apiKey: key }, () =>
      region === undefined ? newKeyText(made) : `${newKeyText(made)}\nregion ${region}`,
    );
    out.notice('the key is shown this once; keep it in a secret store');
  }
}
