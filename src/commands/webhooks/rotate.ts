import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { bold } from '../../cli/terminal/text.ts';
import { signingSecret } from '../../features/webhooks/signing-secret.ts';
import { webhookDetails, webhookOf } from '../../features/webhooks/view.ts';
import { objectOf } from '../../kit/object-of.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storedWebhooks, storeWebhook, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksRotate extends SvcCommand {
  static override summary = 'Replace the signing secret of a subscription';
  static override description =
    `Without a secret one is made and shown once. For 24 hours webhook-signature holds a signature by each of the two;
X-Service-Signature, which has room for one, is by the new secret at once. Give the receiver the new secret first, beside
the old one.`;
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };
  static override flags = {
    'secret-file': Flags.string({
      summary: 'file with the new secret, or -; else SVC_WEBHOOK_SECRET, else one is made',
      helpValue: 'FILE|-',
    }),
  };

  protected override async run(context: Context<typeof WebhooksRotate>): Promise<void> {
    const { args, flags, out, world, paths, signal } = context;
    const { secret, made } = await signingSecret(world, flags['secret-file']);
    const connection = await context.connect();
    const profiles = new Profiles(paths.configDir);
    const key = webhookKey(connection);
    const kept = storedWebhooks(profiles, key)[args.id];
    const answer = await orAmbiguous(
      `which secret ${args.id} signs with`,
      (invocation) => `once more: ${invocation.again()}`,
      orUnsupportedOperation(
        `rotate the secret of ${args.id}`,
        (invocation) => `see what there is: ${invocation.on('webhooks', 'list')}`,
        connection.client.call('rotateWebhook', {
          params: { id: args.id },
          body: { signingSecret: secret },
          signal,
        }),
      ),
    );
    const shown = webhookOf(answer.body);
    await storeWebhook(profiles, key, args.id, {
      url: shown.url ?? kept?.url ?? '',
      events: shown.events.length > 0 ? [...shown.events] : (kept?.events ?? []),
      createdAt: shown.createdAt ?? kept?.createdAt ?? new Date(world.clock.now()).toISOString(),
      signingSecret: secret,
    });
    out.result({ ...objectOf(answer.body), ...(made ? { signingSecret: secret } : {}) }, () => [
      webhookDetails({ ...shown, id: args.id }),
      ...(made ? ['\n', bold('secret'.padEnd(12)), secret] : []),
    ]);
    if (made) out.notice('the secret is shown this once, and kept with the profile');
  }
}
