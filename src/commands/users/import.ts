import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { ExitCode } from '../../cli/errors/exit-codes.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { importFlags } from '../../features/import/option-table/flags.ts';

export default class UsersImport extends SvcCommand {
  static override summary = 'Load users from NDJSON or CSV files, or a pipe, and print their hashIds';
  static override description =
    `Works like \`svc events import\`. Prints userId and hashId of each imported user on standard output (NDJSON with
--json), and the result on standard error. The columns userId, name, phone, accountNumber, timeZone and locale are fields.
So are phones, emails, optIn and optOut, whose cells hold several entries with semicolons between them: optIn and optOut
list the channels or categories of which a user wants marketing or refuses it (email, sms/news, *). All other columns become
traits; a column email is the address of the user, too. See docs/import.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> users.csv',
    '<%= config.bin %> <%= command.id %> users.ndjson --json > hashes.ndjson',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override strict = false;
  static override args = {
    file: Args.string({
      description: 'files or https:// addresses to import; - for standard input',
      required: false,
    }),
  };
  static override flags = importFlags;

  protected override async run(context: Context<typeof UsersImport>): Promise<ExitCode> {
    const { runImportCommand } = await import('../../features/import/command.ts');
    const { hashPrinter } = await import('../../features/import/report/hash-printer.ts');
    return runImportCommand(context, {
      kind: 'users',
      command: 'users import',
      typed: this.argv,
      resultTo: 'stderr',
      onAnswer: hashPrinter(context.out),
    });
  }
}
