import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { notificationStatus } from '../../features/notifications/view.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class NotificationsCancel extends SvcCommand {
  static override summary = 'Cancel a notification that waits or is sent again';
  static override description =
    `Nothing of it is sent after the answer. sentBefore is false if nothing left. If it is true, a provider took a message
before, or may have, and the command exits with 5. It is safe to repeat.`;
  static override examples = ['<%= config.bin %> <%= command.id %> ntf_77ab…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the notification' }),
  };

  protected override async run(context: Context<typeof NotificationsCancel>): Promise<void> {
    const { args, out, signal } = context;
    const { client } = await context.connect();
    const { body } = await orAmbiguous(
      `whether ${args.id} was cancelled`,
      (invocation) => `it is safe to repeat: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        `cancel the notification ${args.id}`,
        'check the identifier that `svc notifications trigger` printed',
        client.call('cancelNotification', { params: { id: args.id }, signal }),
      ),
    );
    const { status, sentBefore } = objectOf(body);
    out.result(objectOf(body), () => [
      `${args.id}  `,
      typeof status === 'string' ? notificationStatus(status) : 'cancelled',
      sentBefore === false ? '  nothing was sent' : '',
    ]);
    if (sentBefore === true)
      throw new SvcError(
        'failed',
        `notification ${args.id} was sent before it was cancelled, or may have been`,
        {
          hint: (invocation) =>
            `what is known of it: ${invocation.onSameResource(args.id, 'notifications', 'get')}`,
        },
      );
  }
}
