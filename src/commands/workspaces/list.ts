import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { withAccounts } from '../../features/accounts/open.ts';

interface Row {
  readonly mode: string;
  readonly createdAt: string;
  readonly frozenAt: string | null;
}

const FIELDS: readonly Field<Row>[] = [
  { field: 'workspace', title: 'WORKSPACE', whole: true },
  { field: 'mode', title: 'MODE' },
  { field: 'region', title: 'REGION' },
  { field: 'frozenAt', title: 'FROZEN', cell: ({ frozenAt }) => frozenAt?.slice(0, 10) ?? '' },
  { field: 'createdAt', title: 'CREATED', cell: ({ createdAt }) => createdAt.slice(0, 10) },
];

export default class WorkspacesList extends SvcCommand {
  static override summary = 'List the workspaces of this service';
  static override examples = ['<%= config.bin %> <%= command.id %> --profile local'];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = { database: databaseFlag, fields: fieldsFlag(FIELDS) };

  protected override async run(context: Context<typeof WorkspacesList>): Promise<void> {
    const { flags, out } = context;
    const stored = await withAccounts(context, (accounts) => accounts.listWorkspaces());
    const workspaces = stored.map(({ id, mode, region, createdAt, frozenAt }) => ({
      workspace: id,
      mode,
      region,
      createdAt: new Date(createdAt).toISOString(),
      frozenAt: frozenAt === null ? null : new Date(Number(frozenAt)).toISOString(),
    }));
    out.list({ key: 'workspaces', rows: workspaces, fields: FIELDS, empty: 'no workspaces' }, flags.fields);
  }
}
