import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { Connection } from '../../cli/connection/connect.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { allWebhooks } from '../../features/webhooks/all-webhooks.ts';
import { describeStoredWebhook } from '../../features/webhooks/stored-webhook.ts';
import { missedOf, webhookDetails, webhookOf } from '../../features/webhooks/view.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storedWebhooks, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksGet extends SvcCommand {
  static override summary = 'Show a webhook subscription';
  static override description =
    'If the service does not support this, shows what is stored on this machine, with a warning on stderr.';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };

  protected override async run(context: Context<typeof WebhooksGet>): Promise<void> {
    const { args, out, paths, signal } = context;
    const connection = await context.connect();
    const found = await find(connection, args.id, signal);
    if (found.supported) {
      if (found.body !== undefined)
        return out.result(found.body, () => webhookDetails(webhookOf(found.body), missedOf(found.body)));
      throw new SvcError('not_found', `the service has no subscription ${args.id}`, {
        hint: (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
      });
    }
    const stored = storedWebhooks(new Profiles(paths.configDir), webhookKey(connection))[args.id];
    if (!stored)
      throw new SvcError(
        'not_offered',
        `the service does not show subscriptions (HTTP ${found.status}), and ${args.id} was not created on this machine`,
        {
          hint: (invocation) =>
            `list the subscriptions created on this machine: ${invocation.onSameService('webhooks', 'list')}`,
        },
      );
    out.warn(
      `the service does not show subscriptions (HTTP ${found.status}); showing the one created on this machine`,
    );
    const body = describeStoredWebhook(args.id, stored);
    out.result({ ...body, source: 'this machine' }, () => webhookDetails(webhookOf(body)));
  }
}

type Found = { supported: true; body: unknown } | { supported: false; status: number };

/**
 * Fetches a subscription. A 404 can mean that it does not exist or that the operation is not supported, so the list is
 * checked too.
 */
async function find({ client }: Connection, id: string, signal: AbortSignal): Promise<Found> {
  try {
    const { body, text } = await client.call('getWebhook', { params: { id }, signal });
    return { supported: true, body: body ?? text };
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    try {
      const { list } = await allWebhooks(client, signal);
      return { supported: true, body: list.find((each) => webhookOf(each).id === id) };
    } catch (second) {
      if (!isUnsupported(second)) throw second;
      return { supported: false, status: error.status };
    }
  }
}
