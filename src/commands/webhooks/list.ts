import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { allWebhooks } from '../../features/webhooks/all-webhooks.ts';
import { describeStoredWebhook } from '../../features/webhooks/stored-webhook.ts';
import { WEBHOOK_FIELDS } from '../../features/webhooks/view.ts';
import { objectOf } from '../../kit/object-of.ts';
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

  static override flags = { fields: fieldsFlag(WEBHOOK_FIELDS) };

  protected override async run(context: Context<typeof WebhooksList>): Promise<void> {
    const { flags, out, paths, signal } = context;
    const print = (list: readonly unknown[], rest: object) =>
      out.list(
        {
          key: 'webhooks',
          rows: list.map(objectOf),
          fields: WEBHOOK_FIELDS,
          rest,
          empty: `no subscriptions; create one: ${context.invocation.onSameService('webhooks', 'create', '--url', 'U', '--event', 'K')}`,
        },
        flags.fields,
      );
    const connection = await context.connect();
    try {
      const { body, list } = await allWebhooks(connection.client, signal);
      print(list, body);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      out.warn(
        `the service does not list subscriptions (HTTP ${error.status}); showing those created on this machine`,
      );
      const stored = storedWebhooks(new Profiles(paths.configDir), webhookKey(connection));
      const list = Object.entries(stored).map(([id, webhook]) => describeStoredWebhook(id, webhook));
      print(list, { source: 'this machine' });
    }
  }
}
