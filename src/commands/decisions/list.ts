import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { longList, warnOfRemoved } from '../../cli/input/long-list.ts';
import { connectForUserIfNamed, userFlags } from '../../cli/input/named-user.ts';
import { DECISION_FIELDS } from '../../features/decisions/view.ts';

/** The size of a page that the service allows. */
const PAGE = 1000;

export default class DecisionsList extends SvcCommand {
  static override summary = 'List the logged decisions, newest first, also of one user or content';
  static override description =
    'The reward is "none yet" while a decision does not count: its message was not served, or nothing was chosen.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --since 2026-03-01T00:00:00Z --fields at,contentId,reward --json',
  ];
  static override flags = {
    'hash-id': { ...userFlags['hash-id'], summary: 'only decisions for this user' },
    'user-id': userFlags['user-id'],
    content: Flags.string({ summary: 'only decisions that chose this content', helpValue: 'ID' }),
    ...spanFlags('decisions made'),
    oldest: Flags.boolean({ summary: 'oldest first' }),
    limit: limitFlag,
    fields: fieldsFlag(DECISION_FIELDS),
  };

  protected override async run(context: Context<typeof DecisionsList>) {
    const { flags, out, signal } = context;
    const { connection, hashId } = await connectForUserIfNamed(context);
    const { client } = connection;
    const { since, until, limit } = flags;
    const query = {
      hashId,
      contentId: flags.content,
      since,
      until,
      order: flags.oldest ? 'oldest' : 'newest',
      limit: String(Math.min(limit, PAGE)),
    };
    const list = await longList(
      'decisions',
      (after) => client.call('listDecisions', { query: { ...query, after }, signal }),
      { limit, out },
    );
    warnOfRemoved(out, 'decisions', list.rest.removedBefore);
    out.list({ key: 'decisions', ...list, fields: DECISION_FIELDS, empty: 'no decisions' }, flags.fields);
  }
}
