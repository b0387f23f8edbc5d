import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { showNotification } from '../../features/notifications/view.ts';

export default class NotificationsGet extends SvcCommand {
  static override summary = 'Show the delivery record of a notification';
  static override examples = ['<%= config.bin %> <%= command.id %> ntf_3f1c…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the notification' }),
  };

  protected override async run(context: Context<typeof NotificationsGet>): Promise<void> {
    const { args, out, signal } = context;
    const { client, workspace } = await context.connect();
    const { text, body } = await orUnsupportedOperation(
      `show the notification ${args.id}`,
      'check the identifier that `svc notifications trigger` printed',
      client.call('getNotification', { params: { id: args.id }, signal }),
    );
    if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
    else out.result(body ?? {}, () => showNotification(body, workspace, out));
  }
}
