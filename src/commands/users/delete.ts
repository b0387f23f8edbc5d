import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { connectForUser, userFlags } from '../../cli/input/named-user.ts';
import { confirm } from '../../cli/input/prompt.ts';

export default class UsersDelete extends SvcCommand {
  static override summary = 'Erase a user with everything personal';
  static override description =
    `Permanently erases the personal fields and what only this user produced: events, messages, notifications, deliveries,
and what was learned of the user alone. Opt-outs and bounced addresses are kept, as keyed hashes. The service ends
the erasure within about a minute; then \`svc users get\` does not find the user. It also erases a user of whom there are
events alone. To keep a copy for the person, run
\`svc users export\` first.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --yes',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --yes --json | jq -r .status',
  ];
  static override flags = {
    ...userFlags,
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run(context: Context<typeof UsersDelete>): Promise<void> {
    const { flags, out, world, signal } = context;
    const { connection, hashId } = await connectForUser(
      context,
      '',
      'events of the user, if there are any, are erased',
    );
    const { client } = connection;
    const sure =
      flags.yes ||
      (await confirm(world, `Erase the user ${hashId} for good?`, {
        noInput: flags['no-input'],
        instead: (invocation) => invocation.rerunWith('--yes'),
      }));
    if (!sure)
      throw new SvcError('usage', 'nothing was erased', {
        hint: (invocation) => invocation.rerunWith('--yes'),
      });
    const { body } = await orUnsupportedOperation(
      `erase the user ${hashId}`,
      'check the hashId that `svc users import` printed',
      client.call('deleteUser', { params: { hashId }, signal }),
    );
    out.result(body ?? { hashId, status: 'erasing' }, () => `${hashId} is being erased`);
  }
}
