import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { followNotification } from '../../features/notifications/follow.ts';
import { notificationStatus, outboxWords, requireDelivered } from '../../features/notifications/view.ts';

export default class NotificationsWatch extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Follow a notification until it is delivered, failed or cancelled';
  static override description =
    'Prints one line per state change; with --json, as NDJSON. Exits with 0 if the notification is delivered, 5 if it failed or was cancelled, and 6 if --wait-timeout expires.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> ntf_3f1c…',
    '<%= config.bin %> <%= command.id %> ntf_3f1c… --wait-timeout 30s --json',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the notification' }),
  };
  static override flags = {
    'wait-timeout': Flags.string({
      summary: 'longest time to wait (default: no limit)',
      helpValue: '60s',
    }),
  };

  protected override async run(context: Context<typeof NotificationsWatch>): Promise<void> {
    const { args, flags, out, world, signal } = context;
    const timeout = flags['wait-timeout'];
    const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, '--wait-timeout');
    const { client, workspace } = await context.connect();
    const followed = await followNotification({
      client,
      clock: world.clock,
      id: args.id,
      timeoutMs,
      signal,
      onStateChange: ({ status, at, reason }) =>
        out.line({ notificationId: args.id, status, at: at ?? null, reason }, () => [
          `${at ?? ''}  `,
          notificationStatus(status),
          reason === undefined ? '' : `  ${reason}`,
        ]),
    });
    const outbox = outboxWords(followed.answer?.body, workspace);
    if (outbox !== undefined) out.notice(outbox);
    requireDelivered(args.id, followed);
  }
}
