import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { connectForUserIfNamed, userFlags } from '../../cli/input/named-user.ts';
import { NOTIFICATION_FIELDS } from '../../features/notifications/list-view.ts';

export default class NotificationsList extends SvcCommand {
  static override summary = 'List notifications, newest first, also of one user or in one state';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --status failed --fields notificationId,failure',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --json | jq -r .notifications[].notificationId',
  ];
  static override flags = {
    'hash-id': { ...userFlags['hash-id'], summary: 'only notifications to this user' },
    'user-id': userFlags['user-id'],
    status: Flags.string({
      summary: 'only notifications in this state: queued, held, dispatched, delivered, failed or cancelled',
      helpValue: 'STATE',
    }),
    failure: Flags.string({
      summary: 'only notifications that failed for this reason: a failure as it is listed',
      helpValue: 'TEXT',
    }),
    ...spanFlags('notifications triggered'),
    limit: limitFlag,
    fields: fieldsFlag(NOTIFICATION_FIELDS),
  };

  protected override async run(context: Context<typeof NotificationsList>) {
    const { flags, out, signal } = context;
    const { connection, hashId } = await connectForUserIfNamed(context);
    const { client } = connection;
    const { status, failure, since, until, limit } = flags;
    const list = await longList(
      'notifications',
      (after) =>
        client.call('listNotifications', {
          query: { hashId, status, failure, since, until, after },
          signal,
        }),
      { limit, out },
    );
    out.list(
      { key: 'notifications', ...list, fields: NOTIFICATION_FIELDS, empty: 'no notifications' },
      flags.fields,
    );
  }
}
