import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import type { Output } from '../../cli/terminal/output.ts';
import type { Text } from '../../cli/terminal/text.ts';
import { allOf } from '../../client/pages.ts';
import { statusText } from '../../features/webhooks/view.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Maximum number of deliveries shown; the newest. */
const MAX_SHOWN = 100;

export default class WebhooksDeliveries extends SvcCommand {
  static override summary = 'Show the recent deliveries of a subscription and their attempts';
  static override examples = [
    '<%= config.bin %> <%= command.id %> wh_3f1c…',
    `<%= config.bin %> <%= command.id %> wh_3f1c… --json | jq -r '.deliveries[] | select(.status != "delivered")'`,
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };

  protected override async run(context: Context<typeof WebhooksDeliveries>): Promise<void> {
    const { args, out, signal } = context;
    const { client } = await context.connect();
    const { body, list } = await orUnsupportedOperation(
      `show the deliveries of ${args.id}`,
      (invocation) => `list the subscriptions: ${invocation.on('webhooks', 'list')}`,
      allOf(
        (after) => client.call('listDeliveries', { params: { id: args.id }, query: { after }, signal }),
        deliveriesOf,
        MAX_SHOWN,
      ),
    );
    out.result({ ...body, deliveries: list }, () => show(list.map(objectOf), out));
  }
}

function deliveriesOf(body: unknown): readonly unknown[] {
  const { deliveries } = objectOf(body);
  return Array.isArray(deliveries) ? deliveries.map(objectOf) : [];
}

function show(list: readonly Readonly<Record<string, unknown>>[], out: Output): Text {
  if (list.length === 0) return 'no deliveries yet';
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return out.table(
    [
      { title: 'DELIVERY', whole: true },
      { title: 'KIND' },
      { title: 'STATUS' },
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'LAST ANSWER' },
      { title: 'NEXT ATTEMPT', whole: true },
    ],
    list.map((delivery) => {
      const attempts = Array.isArray(delivery.attempts) ? delivery.attempts.map(objectOf) : [];
      const last = attempts.at(-1);
      return [
        text(delivery.deliveryId),
        text(delivery.type),
        statusText(text(delivery.status)),
        String(attempts.length),
        last === undefined ? '' : typeof last.status === 'number' ? String(last.status) : text(last.error),
        text(delivery.nextAttemptAt),
      ];
    }),
  );
}
