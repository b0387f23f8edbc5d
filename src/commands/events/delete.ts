import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { parseFilter } from '../../kit/event-filter/parse.ts';

export default class EventsDelete extends SvcCommand {
  static override summary = 'Delete events, as if they had never come';
  static override description =
    `Deletes the events for which everything holds that is given, of those that are stored now. It counts them, shows some and
asks first. Indexes, counts, features and what goals earned of them follow, and their ids may be sent again; decisions that were
made and webhooks that were sent stay. The service deletes in pieces behind requests: the command can be interrupted, and repeating
it shows how far the service is. A filter has terms such as user:u-17, amount>100 or -source:web. To take back an import with its
journal, use \`svc imports undo\`.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --event purchase --since 2026-03-01 --until 2026-03-02 --dry-run',
    "<%= config.bin %> <%= command.id %> --event purchase --where 'source:test' --yes",
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override flags = {
    event: Flags.string({ summary: 'events with this name', helpValue: 'NAME' }),
    'user-id': Flags.string({ summary: 'events of this user', helpValue: 'ID' }),
    ...spanFlags('events that happened'),
    run: Flags.string({ summary: 'events that this run of an import sent', helpValue: 'RUN' }),
    where: Flags.string({ summary: 'events that match all terms of this filter', helpValue: 'TERMS' }),
    'dry-run': Flags.boolean({ summary: 'delete nothing: count the events and show some' }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run(context: Context<typeof EventsDelete>): Promise<void> {
    const { flags, connect } = context;
    const { event, since, until, run, where: filter } = flags;
    const given = { event, userId: flags['user-id'], since, until, run, filter };
    const selection = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(selection).length === 0)
      throw new SvcError('usage', 'it was not said which events', {
        hint: (invocation) => invocation.onSameService('events', 'delete', '--event', 'NAME', '--dry-run'),
      });
    const parsed = parseFilter(filter ?? '');
    if (!parsed.ok)
      throw new SvcError('usage', `--where: ${parsed.message} (at character ${parsed.at + 1})`, {
        hint: 'write terms such as user:u-17, amount>100 or -source:web',
      });
    const { deleteEvents } = await import('../../features/event-deletion/delete-events.ts');
    const { client } = await connect();
    await deleteEvents({ ...context, client }, selection);
  }
}
