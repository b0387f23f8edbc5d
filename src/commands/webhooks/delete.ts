import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { removeWebhook, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksDelete extends SvcCommand {
  static override summary = 'Remove a webhook subscription';
  static override description = 'Also removes its deliveries, including those not yet sent.';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };

  protected override async run(context: Context<typeof WebhooksDelete>): Promise<void> {
    const { args, out, paths, signal } = context;
    const connection = await context.connect();
    await orAmbiguous(
      `whether ${args.id} was deleted`,
      (invocation) =>
        `check whether it still exists: ${invocation.onSameService('webhooks', 'list')}, then: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        `remove the subscription ${args.id}`,
        (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
        connection.client.call('deleteWebhook', { params: { id: args.id }, signal }),
      ),
    );
    await removeWebhook(new Profiles(paths.configDir), webhookKey(connection), args.id);
    out.result({ deleted: args.id }, () => `deleted subscription ${args.id}`);
  }
}
