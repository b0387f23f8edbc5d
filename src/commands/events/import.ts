import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { ExitCode } from '../../cli/errors/exit-codes.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { importFlags } from '../../features/import/option-table/flags.ts';

export default class EventsImport extends SvcCommand {
  static override summary = 'Import events from NDJSON or CSV files, or a pipe';
  static override description =
    `Validates records, sends them in batches within the rate limit, and keeps a journal: use --resume to continue an
interrupted import. A file that was imported completely is not sent again: only what was appended to it is. Rejected records are written to the rejects file with the reason; all others are sent.
See docs/import.md and docs/mapping.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> events.ndjson',
    '<%= config.bin %> <%= command.id %> reviews.csv.gz --map userId=reviewerId --map timestamp=date --set event=review_posted --convert-timestamps',
    "<%= config.bin %> <%= command.id %> orders.csv --map userId=customer,guest --map timestamp=Date+Time --set event=ordered --timestamp-format 'DD/MM/YYYY HH:mm'",
    '<%= config.bin %> <%= command.id %> export.ndjson.gz --from mixpanel',
    '<%= config.bin %> <%= command.id %> https://data.example.com/day.ndjson.gz',
    'tail -f app.log | <%= config.bin %> <%= command.id %> - --flush-interval 5s',
    '<%= config.bin %> <%= command.id %> events.ndjson.zst --dry-run',
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

  protected override async run(context: Context<typeof EventsImport>): Promise<ExitCode> {
    const { runImportCommand } = await import('../../features/import/command.ts');
    return runImportCommand(context, { kind: 'events', command: 'events import', typed: this.argv });
  }
}
