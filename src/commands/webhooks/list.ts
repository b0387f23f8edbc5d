import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { allWebhooks } from '../../features/webhooks/all-webhooks.ts';
import { describeStoredWebhook } from '../../features/webhooks/stored-webhook.ts';
import { webhookOf, webhookTable } from '../../features/webhooks/view.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storedWebhooks, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksList extends SvcCommand {
  static override summary = 'List the webhook subscriptions';
  static override description =
    'If the service does not support this, shows the subscriptions created on this machine, with a warning on stderr.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.webhooks[].id'",
  ];

  protected override async run(context: Context<typeof WebhooksList>): Promise<void> {
    const { out, paths, signal } = context;
    const connection = await context.connect();
    try {
      const { body, list } = await allWebhooks(connection.client, signal);
      out.result({ ...body, webhooks: list }, () => webhookTable(list.map(webhookOf), out));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      out.warn(
        `the service does not list subscriptions (HTTP ${error.status}); showing those created on this machine`,
      );
      const stored = storedWebhooks(new Profiles(paths.configDir), webhookKey(connection));
      const list = Object.entries(stored).map(([id, webhook]) => describeStoredWebhook(id, webhook));
      out.result({ webhooks: list, source: 'this machine' }, () => webhookTable(list.map(webhookOf), out));
    }
  }
}
