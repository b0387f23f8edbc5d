import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { newKeyText, newKeyView } from '../../features/accounts/view.ts';

const MAX_NAME = 100;

/** Throws usage for a name that a list cannot show. */
function checkName(name: string): void {
  if (name.trim() !== '' && [...name].length <= MAX_NAME && !/\p{C}/u.test(name)) return;
  throw new SvcError('usage', `--name must have 1 to ${MAX_NAME} characters, and no control characters`, {
    hint: (invocation) => invocation.rerunWith('--name', 'nightly import'),
  });
}

export default class KeysCreate extends SvcCommand {
  static override summary = 'Create an API key of a workspace of this service';
  static override description =
    `Prints the key once: only its hash is stored. Works on the data of \`local\` or of --database, also while the service
runs, which accepts the key at once. A server key has the kind of its workspace's mode. A publishable key is for apps: it
tracks events, lists messages and reports outcomes, only with a token for one user (svc users token). A name says what the
key is for: keys list shows it beside its last use.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --workspace ws_shop --profile local',
    '<%= config.bin %> <%= command.id %> --workspace ws_shop --name "nightly import" --profile local',
    '<%= config.bin %> <%= command.id %> --workspace ws_shop --kind publishable --profile local',
    '<%= config.bin %> <%= command.id %> --workspace ws_shop --kind live --json --profile local | jq -r .key',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = {
    database: databaseFlag,
    kind: Flags.string({
      summary: 'kind of the key (default: the mode of the workspace)',
      options: ['live', 'test', 'publishable'] as const,
      helpValue: 'live|test|publishable',
    }),
    name: Flags.string({ summary: `what the key is for, at most ${MAX_NAME} characters`, helpValue: 'TEXT' }),
  };

  protected override async run(context: Context<typeof KeysCreate>): Promise<void> {
    const { flags, out } = context;
    if (flags.name !== undefined) checkName(flags.name);
    const made = await withAccounts(context, (accounts) =>
      accounts.createKey(
        flags.workspace,
        flags.kind as 'live' | 'test' | 'publishable' | undefined,
        flags.name,
      ),
    );
    const { kind } = made;
    out.result(newKeyView(made), () => newKeyText(made));
    out.notice(
      kind === 'publishable'
        ? 'the key is shown this once; an app may hold it, and sends it with a user token'
        : 'the key is shown this once; keep it in a secret store',
    );
  }
}
