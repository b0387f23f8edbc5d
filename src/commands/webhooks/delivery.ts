import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { showDelivery } from '../../features/webhooks/deliveries-view.ts';

export default class WebhooksDelivery extends SvcCommand {
  static override summary = 'Show a delivery with its body and attempts, and which secrets signed them';
  static override description =
    'Secrets are named by their version, which svc webhooks get shows: 1, and one more with each rotation.';
  static override examples = ['<%= config.bin %> <%= command.id %> dlv_77ab…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the delivery' }),
  };

  protected override async run(context: Context<typeof WebhooksDelivery>): Promise<void> {
    const { args, out, signal } = context;
    const { client } = await context.connect();
    const { text, body } = await orUnsupportedOperation(
      `show the delivery ${args.id}`,
      (invocation) => `list the deliveries: ${invocation.onSameService('webhooks', 'deliveries')}`,
      client.call('getDelivery', { params: { id: args.id }, signal }),
    );
    if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
    else out.result(body ?? {}, () => showDelivery(body, out));
  }
}
