import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { NOTIFICATION_FIELDS } from '../../features/notifications/list-view.ts';

export default class NotificationsList extends SvcCommand {
  static override summary = 'List notifications, newest first, also of one user or in one state';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --status failed --fields notificationId,failure',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --json | jq -r .notifications[].notificationId',
  ];
  static override flags = {
    'hash-id': Flags.string({ summary: 'only notifications to this user', helpValue: 'H' }),
    status: Flags.string({
      summary: 'only notifications in this state: queued, dispatched, delivered or failed',
      helpValue: 'STATE',
    }),
    ...spanFlags('notifications triggered'),
    limit: limitFlag,
    fields: fieldsFlag(NOTIFICATION_FIELDS),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof NotificationsList>) {
    const { client } = await connect();
    const { 'hash-id': hashId, status, since, until, limit } = flags;
    const list = await longList(
      'notifications',
      (after) => client.call('listNotifications', { query: { hashId, status, since, until, after }, signal }),
      { limit, out },
    );
    out.list(
      { key: 'notifications', ...list, fields: NOTIFICATION_FIELDS, empty: 'no notifications' },
      flags.fields,
    );
  }
}
