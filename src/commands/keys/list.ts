import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { green } from '../../cli/terminal/text.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { stateOf } from '../../features/accounts/view.ts';

interface Row {
  readonly state: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

const FIELDS: readonly Field<Row>[] = [
  { field: 'keyId', title: 'KEY', whole: true },
  { field: 'name', title: 'NAME' },
  { field: 'workspace', title: 'WORKSPACE' },
  { field: 'kind', title: 'KIND' },
  {
    field: 'state',
    title: 'STATE',
    cell: ({ state }) => (state === 'active' ? green(state) : state),
  },
  { field: 'createdAt', title: 'CREATED', cell: ({ createdAt }) => createdAt.slice(0, 10) },
  {
    field: 'lastUsedAt',
    title: 'LAST USED',
    cell: ({ lastUsedAt }) => lastUsedAt?.slice(0, 16).concat('Z') ?? 'never',
  },
  { field: 'endsAt', title: 'ENDS', whole: true, extra: true },
];

export default class KeysList extends SvcCommand {
  static override summary = 'List the API keys of this service';
  static override description =
    `Shows what is known of each key, never the key. An ending key was rotated and is valid until its end. The last use is
stored about a minute after it, and when the service stops.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile local',
    `<%= config.bin %> <%= command.id %> --workspace ws_shop --json --profile local | jq -r '.keys[] | select(.state == "active").keyId'`,
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = { database: databaseFlag, fields: fieldsFlag(FIELDS) };

  protected override async run(context: Context<typeof KeysList>): Promise<void> {
    const { flags, out } = context;
    const { keys: stored, now } = await withAccounts(context, (accounts) =>
      accounts.listKeys(flags.workspace),
    );
    const keys = stored.map(({ keyId, name, workspace, kind, createdAt, endsAt, lastUsedAt }) => ({
      keyId,
      name,
      workspace,
      kind,
      state: stateOf(endsAt, now),
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: lastUsedAt === null ? null : new Date(Number(lastUsedAt)).toISOString(),
      // A key that was revoked at once has no time of its end.
      endsAt: endsAt ? new Date(endsAt).toISOString() : null,
    }));
    out.list({ key: 'keys', rows: keys, fields: FIELDS, empty: 'no keys' }, flags.fields);
  }
}
