import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import type { RequestOf } from '../../contract/endpoints.ts';
import { NOTIFICATION_OUTCOMES } from '../../contract/schemas.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class NotificationsOutcome extends SvcCommand {
  static override summary = 'Report a tap on a notification';
  static override description =
    'opened emits the event campaign.opened, clicked emits campaign.clicked. Each is counted once per notification.';
  static override examples = ['<%= config.bin %> <%= command.id %> ntf_3f1c… clicked'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the notification' }),
    type: Args.string({ required: true, description: 'opened or clicked' }),
  };

  protected override async run(context: Context<typeof NotificationsOutcome>): Promise<void> {
    const { args, out, signal } = context;
    if (!(NOTIFICATION_OUTCOMES as readonly string[]).includes(args.type))
      out.warn(`${args.type} is not one of ${NOTIFICATION_OUTCOMES.join(', ')}; sent as given`);
    const { client } = await context.connect();
    const answer = await orAmbiguous(
      `whether the tap on ${args.id} was recorded`,
      (invocation) =>
        `it is safe to repeat, because the service counts each type of tap once: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        `record taps on the notification ${args.id}`,
        'check the identifier that `svc notifications trigger` printed',
        client.call('notificationOutcome', {
          params: { id: args.id },
          body: { type: args.type } as RequestOf<'notificationOutcome'>,
          signal,
        }),
      ),
    );
    out.result(objectOf(answer.body), () => `recorded ${args.type} of ${args.id}`);
  }
}
