import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { connectForUser, userFlags } from '../../cli/input/named-user.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { showUser } from '../../features/users/view.ts';

export default class UsersGet extends SvcCommand {
  static override summary = 'Show what is known of a user, without personal data';
  static override description =
    'Shows the channels through which the user can be reached, consent to marketing, and the names of fields and traits.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --user-id u1 --profile local --json | jq -r .hashId',
  ];
  static override flags = userFlags;

  protected override async run(context: Context<typeof UsersGet>): Promise<void> {
    const { out, signal } = context;
    const { connection, hashId } = await connectForUser(context);
    const { client } = connection;
    const { text, body } = await orUnsupportedOperation(
      `show the user ${hashId}`,
      'check the hashId that `svc users import` printed; an erased user is not found',
      client.call('getUser', { params: { hashId }, signal }),
    );
    if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
    else out.result(body ?? {}, () => showUser(body, out));
  }
}
