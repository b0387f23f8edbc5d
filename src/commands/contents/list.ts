import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { longList } from '../../cli/input/long-list.ts';
import { goalField, goalIdsIn } from '../../features/contents/goal-view.ts';
import { CONTENT_FIELDS } from '../../features/contents/view.ts';

export default class ContentsList extends SvcCommand {
  static override summary = 'List the contents with their reward rates';
  static override description =
    'Counts decisions whose message was served, or whose channel is not polled. Rewarded: clicked or actioned. Where the catalog has goals: what a decision earned of each, with its 95% interval, and how many earned something.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --fields id,rate,low,high --json',
    '<%= config.bin %> <%= command.id %> --json | jq ".items[] | {id, goals}"',
  ];
  static override flags = {
    limit: limitFlag,
    goal: Flags.string({ summary: 'show what contents earned of this goal only', helpValue: 'ID' }),
    fields: fieldsFlag(CONTENT_FIELDS),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof ContentsList>) {
    const { client } = await connect();
    const list = await longList(
      'items',
      (after) => client.call('listContents', { query: { after }, signal }),
      { limit: flags.limit, out, name: 'contents' },
    );
    const goals = goalIdsIn(list.rows);
    if (flags.goal !== undefined && !goals.includes(flags.goal))
      throw new SvcError('usage', `${flags.goal} is not a goal of the catalog`, {
        hint: (invocation) =>
          goals.length > 0
            ? `the goals are: ${goals.join(', ')}`
            : `the catalog has no goals: ${invocation.onSameService('catalog', 'get')}`,
      });
    const fields = CONTENT_FIELDS.map((field) =>
      field.field === 'goals' ? goalField(flags.goal, goals.length > 0) : field,
    );
    out.list({ key: 'items', ...list, fields, empty: 'no contents' }, flags.fields);
  }
}
