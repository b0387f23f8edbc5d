import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { CONTENT_FIELDS } from '../../features/contents/view.ts';

export default class ContentsList extends SvcCommand {
  static override summary = 'List the contents with their reward rates';
  static override description =
    'Counts decisions whose message was served, or whose channel is not polled. Rewarded: clicked or actioned.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --fields id,rate,low,high --json',
  ];
  static override flags = { limit: limitFlag, fields: fieldsFlag(CONTENT_FIELDS) };

  protected override async run({ flags, out, signal, connect }: Context<typeof ContentsList>) {
    const { client } = await connect();
    const list = await longList(
      'items',
      (after) => client.call('listContents', { query: { after }, signal }),
      { limit: flags.limit, out, name: 'contents' },
    );
    out.list({ key: 'items', ...list, fields: CONTENT_FIELDS, empty: 'no contents' }, flags.fields);
  }
}
