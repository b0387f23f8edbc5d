import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { ExitCode } from '../../cli/errors/exit-codes.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { mappingFlags } from '../../features/import/option-table/flags.ts';

export default class EventsInspect extends SvcCommand {
  static override summary = 'Describe files of events and print the command that imports them';
  static override description =
    `Reads a sample and prints a row per column or JSON path, the likely user, event and time, what would be rejected, and
the import command to paste. Replace the placeholders in capitals. Sends nothing. See docs/import.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> export.csv',
    '<%= config.bin %> <%= command.id %> export.json.gz --save mapping.json',
    '<%= config.bin %> <%= command.id %> export.csv --map userId=customer --json',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override strict = false;
  static override args = {
    file: Args.string({
      description: 'files or https:// addresses to inspect; - for standard input',
      required: false,
    }),
  };
  static override flags = {
    ...mappingFlags,
    save: Flags.string({ summary: 'write the mapping to a file, for --mapping', helpValue: 'MAPPING' }),
  };

  protected override async run(context: Context<typeof EventsInspect>): Promise<ExitCode> {
    const { runInspect } = await import('../../features/import/inspect.ts');
    return runInspect(context, this.argv);
  }
}
