import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { untilFlag } from '../../cli/flags/time-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { hashIdFlag } from '../../features/users/flags.ts';
import { TIMELINE_FIELDS } from '../../features/users/timeline-view.ts';

/** The size of a page that the service allows. */
const PAGE = 200;

export default class UsersTimeline extends SvcCommand {
  static override summary = 'Show what happened to a user, newest first, without personal data';
  static override description =
    `Events, decisions, waiting messages, outcomes and notifications in one list. Of events, those that rules of the catalog
count are all shown; of others, those among the newest of the workspace.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --kind decision,outcome --json',
  ];
  static override flags = {
    'hash-id': hashIdFlag,
    kind: Flags.string({
      summary: 'only these kinds',
      options: ['event', 'decision', 'message', 'outcome', 'notification'],
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      helpValue: 'K,K',
    }),
    until: untilFlag('what happened'),
    limit: limitFlag,
    fields: fieldsFlag(TIMELINE_FIELDS),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof UsersTimeline>) {
    const { client } = await connect();
    const { 'hash-id': hashId, until, limit } = flags;
    const kinds = flags.kind && [...new Set(flags.kind)].join(',');
    const query = { kinds, until, limit: String(Math.min(limit, PAGE)) };
    const list = await longList(
      'items',
      (after) => client.call('getUserTimeline', { params: { hashId }, query: { ...query, after }, signal }),
      { limit, out, name: 'entries' },
    );
    out.list({ key: 'items', ...list, fields: TIMELINE_FIELDS, empty: 'nothing happened' }, flags.fields);
  }
}
