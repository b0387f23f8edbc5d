import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orInDoubt } from '../../cli/errors/ambiguous-outcome.ts';
import { orLacking } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { forgetWebhook, keptUnder } from '../../profiles/webhook-store.ts';

export default class WebhooksDelete extends SvcCommand {
  static override summary = 'Remove a webhook subscription';
  static override description = 'Its deliveries are removed with it, also those not yet sent.';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };

  protected override async act(context: Context<typeof WebhooksDelete>): Promise<void> {
    const { args, out, paths, signal } = context;
    const connection = await context.connect();
    await orInDoubt(
      `whether ${args.id} was removed`,
      (typed) => `see whether it is there: ${typed.on('webhooks', 'list')}, then: ${typed.again()}`,
      orLacking(
        `remove the subscription ${args.id}`,
        (typed) => `see what there is: ${typed.on('webhooks', 'list')}`,
        connection.client.call('deleteWebhook', { params: { id: args.id }, signal }),
      ),
    );
    await forgetWebhook(new Profiles(paths.configDir), keptUnder(connection), args.id);
    out.result({ deleted: args.id }, () => `${args.id} removed`);
  }
}
