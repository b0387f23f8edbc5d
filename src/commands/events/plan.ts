import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { mappingFlags } from '../../features/import/option-table/flags.ts';

export default class EventsPlan extends SvcCommand {
  static override summary = 'Print a plan of events, its types, or what was counted against it';
  static override description =
    `Prints the section \`events\` of a catalog: the names, properties and types of the events in files of any format that an
import reads, or of those that the service has. A property is required if every event of that name has it. With --types,
prints TypeScript for \`track\`; a catalog or a plan is taken as it is. With --status, prints how often events did what
against the plan in force, those that were stored and those that were refused. See docs/catalog.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> events.ndjson > plan.json',
    '<%= config.bin %> <%= command.id %> export.csv --map userId=customer --map event=what --map timestamp=at --values 12',
    '<%= config.bin %> <%= command.id %> --from-service',
    '<%= config.bin %> <%= command.id %> plan.json --types ts > events.ts',
    '<%= config.bin %> <%= command.id %> --status --days 30',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 130] as const;
  static override strict = false;
  static override args = {
    file: Args.string({
      description: 'files of events, or a catalog or plan; - for standard input',
      required: false,
    }),
  };
  static override flags = {
    ...mappingFlags,
    'from-service': Flags.boolean({
      summary: 'of the newest events that the service has',
      exclusive: ['status'],
    }),
    limit: Flags.integer({
      summary: 'with --from-service: maximum number of events to read',
      default: 20_000,
      min: 1,
      max: 1_000_000,
      helpValue: 'N',
    }),
    values: Flags.integer({
      summary: 'list the values of texts that have at most this many, as the only ones',
      default: 0,
      min: 0,
      max: 100,
      helpValue: 'N',
    }),
    types: Flags.string({ summary: 'print types instead', options: ['ts'], helpValue: 'ts' }),
    status: Flags.boolean({ summary: 'print what was counted against the plan in force' }),
    days: Flags.integer({
      summary: 'with --status: days that are counted, today included',
      default: 7,
      min: 1,
      max: 90,
      helpValue: 'N',
    }),
  };

  protected override async run(context: Context<typeof EventsPlan>): Promise<void> {
    const { runEventPlan } = await import('../../features/event-plan/command.ts');
    await runEventPlan(context, this.argv);
  }
}
