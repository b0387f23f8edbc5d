import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class WebhooksRedeliver extends SvcCommand {
  static override summary = 'Send a delivery again, with the same bytes and identifier';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c… dlv_77ab…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
    delivery: Args.string({ required: true, description: 'identifier of the delivery' }),
  };

  protected override async run(context: Context<typeof WebhooksRedeliver>): Promise<void> {
    const { args, out, signal } = context;
    const { client } = await context.connect();
    const params = { id: args.id, deliveryId: args.delivery };
    const answer = await orAmbiguous(
      `whether ${args.delivery} is sent again`,
      (invocation) => invocation.onSameResource(args.id, 'webhooks', 'deliveries'),
      orUnsupportedOperation(
        `send ${args.delivery} again`,
        (invocation) =>
          `list the deliveries: ${invocation.onSameResource(args.id, 'webhooks', 'deliveries')}`,
        client.call('redeliver', { params, signal }),
      ),
    );
    out.result(objectOf(answer.body), () => `queued delivery ${args.delivery}`);
  }
}
