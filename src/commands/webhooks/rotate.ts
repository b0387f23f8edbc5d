import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { signingSecret } from '../../features/webhooks/signing-secret.ts';
import { printWithSecret, webhookOf } from '../../features/webhooks/view.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storedWebhooks, storeWebhook, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksRotate extends SvcCommand {
  static override summary = 'Replace the signing secret of a subscription';
  static override description =
    `Without a secret, one is generated and shown once. For 24 hours webhook-signature has a signature with each of the two
secrets. X-Service-Signature, which holds only one, uses the new secret immediately. Configure the new secret in the
receiver first, in addition to the old one.`;
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };
  static override flags = {
    'secret-file': Flags.string({
      summary:
        'file with the new secret, or - for standard input (default: SVC_WEBHOOK_SECRET, then a new secret)',
      helpValue: 'FILE|-',
    }),
  };

  protected override async run(context: Context<typeof WebhooksRotate>): Promise<void> {
    const { args, flags, out, world, paths, signal } = context;
    const { secret, generated } = await signingSecret(world, flags['secret-file']);
    const connection = await context.connect();
    const profiles = new Profiles(paths.configDir);
    const key = webhookKey(connection);
    const stored = storedWebhooks(profiles, key)[args.id];
    const answer = await orAmbiguous(
      `which secret ${args.id} signs with`,
      (invocation) => `rotate it again: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        `rotate the secret of ${args.id}`,
        (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
        connection.client.call('rotateWebhook', {
          params: { id: args.id },
          body: { signingSecret: secret },
          signal,
        }),
      ),
    );
    const rotated = webhookOf(answer.body);
    await storeWebhook(profiles, key, args.id, {
      url: rotated.url ?? stored?.url ?? '',
      events: rotated.events.length > 0 ? [...rotated.events] : (stored?.events ?? []),
      createdAt: rotated.createdAt ?? stored?.createdAt ?? new Date(world.clock.now()).toISOString(),
      signingSecret: secret,
    });
    printWithSecret(out, { body: answer.body, webhook: { ...rotated, id: args.id }, secret, generated });
  }
}
