import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { deliveryFields } from '../../features/webhooks/deliveries-view.ts';

export default class WebhooksDeliveries extends SvcCommand {
  static override summary = 'List the recent deliveries of a subscription, or of all, with attempts';
  static override examples = [
    '<%= config.bin %> <%= command.id %> wh_3f1c…',
    '<%= config.bin %> <%= command.id %> --status failed',
    `<%= config.bin %> <%= command.id %> wh_3f1c… --json | jq -r '.deliveries[] | select(.status != "delivered")'`,
  ];
  static override args = {
    id: Args.string({ description: 'identifier of the subscription (default: all subscriptions)' }),
  };
  static override flags = {
    status: Flags.string({
      summary: 'only deliveries in this state: pending, delivered or failed',
      helpValue: 'STATE',
    }),
    ...spanFlags('deliveries of what happened'),
    limit: limitFlag,
    fields: fieldsFlag(deliveryFields({ across: true })),
  };

  protected override async run(context: Context<typeof WebhooksDeliveries>): Promise<void> {
    const { args, flags, out, signal } = context;
    const { client } = await context.connect();
    const { id } = args;
    const { status, since, until, limit } = flags;
    const page = (after: string | undefined) => {
      const query = { status, since, until, after };
      return id === undefined
        ? client.call('listAllDeliveries', { query, signal })
        : orUnsupportedOperation(
            `show the deliveries of ${id}`,
            (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
            client.call('listDeliveries', { params: { id }, query, signal }),
          );
    };
    const list = await longList('deliveries', page, { limit, out });
    out.list(
      {
        key: 'deliveries',
        ...list,
        fields: deliveryFields({ across: id === undefined }),
        empty: 'no deliveries',
      },
      flags.fields,
    );
  }
}
