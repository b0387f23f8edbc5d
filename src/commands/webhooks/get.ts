import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { Connection } from '../../cli/connection/connect.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { allWebhooks } from '../../features/webhooks/all-webhooks.ts';
import { describeStoredWebhook } from '../../features/webhooks/stored-webhook.ts';
import { webhookDetails, webhookOf } from '../../features/webhooks/view.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storedWebhooks, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksGet extends SvcCommand {
  static override summary = 'Show a webhook subscription';
  static override description =
    'Where the service cannot show it, shows what this machine knows of it, and says so on stderr.';
  static override examples = ['<%= config.bin %> <%= command.id %> wh_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };

  protected override async run(context: Context<typeof WebhooksGet>): Promise<void> {
    const { args, out, paths, signal } = context;
    const connection = await context.connect();
    const found = await find(connection, args.id, signal);
    if (found.offered) {
      if (found.body !== undefined)
        return out.result(found.body, () => webhookDetails(webhookOf(found.body)));
      throw new SvcError('not_found', `the service has no subscription ${args.id}`, {
        hint: (invocation) => `see what there is: ${invocation.on('webhooks', 'list')}`,
      });
    }
    const kept = storedWebhooks(new Profiles(paths.configDir), webhookKey(connection))[args.id];
    if (!kept)
      throw new SvcError(
        'not_offered',
        `the service does not show subscriptions (HTTP ${found.status}), and this machine did not create ${args.id}`,
        { hint: (invocation) => `see what this machine created: ${invocation.on('webhooks', 'list')}` },
      );
    out.warn(
      `the service does not show subscriptions (HTTP ${found.status}): this is what was created on this machine`,
    );
    const body = describeStoredWebhook(args.id, kept);
    out.result({ ...body, source: 'this machine' }, () => webhookDetails(webhookOf(body)));
  }
}

type Found = { offered: true; body: unknown } | { offered: false; status: number };

/**
 * A 404 for one subscription may mean that it is gone or that the operation is missing: the list, where there is one,
 * tells which.
 */
async function find({ client }: Connection, id: string, signal: AbortSignal): Promise<Found> {
  try {
    const { body, text } = await client.call('getWebhook', { params: { id }, signal });
    return { offered: true, body: body ?? text };
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    try {
      const { list } = await allWebhooks(client, signal);
      return { offered: true, body: list.find((each) => webhookOf(each).id === id) };
    } catch (second) {
      if (!isUnsupported(second)) throw second;
      return { offered: false, status: error.status };
    }
  }
}
