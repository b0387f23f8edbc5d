import { type Context, SvcCommand } from '../../cli/command.ts';
import { orInDoubt } from '../../cli/in-doubt.ts';
import { orLacking } from '../../cli/lacking.ts';
import { objectOf } from '../../cli/object-of.ts';
import { Args } from '../../cli/oclif.ts';
import { shell } from '../../kit/shell.ts';

export default class WebhooksRedeliver extends SvcCommand {
  static override summary = 'Send a delivery again, with the same bytes and identifier';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c… dlv_77ab…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
    delivery: Args.string({ required: true, description: 'identifier of the delivery' }),
  };

  protected override async act(context: Context<typeof WebhooksRedeliver>): Promise<void> {
    const { args, out, signal } = context;
    const { client } = await context.connect();
    const params = { id: args.id, deliveryId: args.delivery };
    const answer = await orInDoubt(
      `whether ${args.delivery} is sent again`,
      (typed) => typed.onThis(args.id, 'webhooks', 'deliveries'),
      orLacking(
        `send ${args.delivery} again`,
        shell`see what there is with \`svc webhooks deliveries ${args.id}\``,
        client.call('redeliver', { params, signal }),
      ),
    );
    out.result(objectOf(answer.body), () => `${args.delivery} will be sent again`);
  }
}
