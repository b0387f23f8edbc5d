import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { untilFlag } from '../../cli/flags/time-flags.ts';
import { longList, warnOfRemoved } from '../../cli/input/long-list.ts';
import { connectForUser, userFlags } from '../../cli/input/named-user.ts';
import { MAX_TIMELINE_PAGE, TIMELINE_KINDS } from '../../contract/schemas.ts';
import { TIMELINE_FIELDS } from '../../features/users/timeline-view.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class UsersTimeline extends SvcCommand {
  static override summary = 'Show what happened to a user, newest first, without personal data';
  static override description =
    `Prints events, decisions, waiting messages, outcomes and notifications in one list. Events that a rule of the catalog
counts are all shown; other events only if they are among the newest 5,000 of the workspace.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --kind decision,outcome --json',
  ];
  static override flags = {
    ...userFlags,
    kind: Flags.string({
      summary: 'only these kinds',
      options: TIMELINE_KINDS,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      helpValue: 'K,K',
    }),
    until: untilFlag('what happened'),
    limit: limitFlag,
    fields: fieldsFlag(TIMELINE_FIELDS),
  };

  protected override async run(context: Context<typeof UsersTimeline>) {
    const { flags, out, signal } = context;
    const { connection, hashId } = await connectForUser(context);
    const { client } = connection;
    const { until, limit } = flags;
    const kinds = flags.kind && [...new Set(flags.kind)].join(',');
    const query = { kinds, until, limit: String(Math.min(limit, MAX_TIMELINE_PAGE)) };
    const { rows, rest } = await longList(
      'items',
      (after) => client.call('getUserTimeline', { params: { hashId }, query: { ...query, after }, signal }),
      { limit, out, name: 'entries' },
    );
    warnOfRemoved(out, 'events', rest.eventsRemovedBefore);
    warnOfRemoved(out, 'decisions', rest.decisionsRemovedBefore);
    const { scannedSince } = objectOf(rest.events);
    if (typeof scannedSince === 'string')
      out.notice([
        `of events that no rule counts, only those received since ${scannedSince} are looked through\n`,
        `all, on the machine of the service: ${context.invocation.onSameService('users', 'export', '--hash-id', hashId)}`,
      ]);
    out.list({ key: 'items', rows, rest, fields: TIMELINE_FIELDS, empty: 'no entries' }, flags.fields);
  }
}
