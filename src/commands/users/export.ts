import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';

export default class UsersExport extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Export everything that is stored about one user, with personal data';
  static override description =
    `For a request for access (GDPR, article 15): prints each record as a line of JSON, personal fields and variables in
plain text. Works on the data itself, on the machine of the service: no service answers such a request. It needs the data
key, from the file beside the data or SVC_DATA_KEY.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --user-id u1 --profile local > u1.ndjson',
    '<%= config.bin %> <%= command.id %> --user-id u1 --profile local | wc -l',
  ];
  static override exitCodes = [0, 1, 2, 5, 6] as const;
  static override flags = {
    'hash-id': Flags.string({ summary: 'hashed identifier of the user', helpValue: 'H' }),
    'user-id': Flags.string({ summary: 'your identifier of the user', helpValue: 'U' }),
    database: databaseFlag,
  };

  protected override async run(context: Context<typeof UsersExport>): Promise<void> {
    const { flags, out } = context;
    const { 'hash-id': hashId, 'user-id': userId } = flags;
    if ((hashId === undefined) === (userId === undefined))
      throw new SvcError('usage', 'name the user by one of --hash-id and --user-id', {
        hint: 'add --user-id, or --hash-id as `svc users import` prints it',
      });
    const { exportUser } = await import('../../features/users/export.ts');
    const count = await exportUser(context, { hashId, userId, workspace: flags.workspace }, (line) =>
      out.raw(`${line}\n`),
    );
    out.notice(`${count} ${count === 1 ? 'record' : 'records'} exported`);
  }
}
