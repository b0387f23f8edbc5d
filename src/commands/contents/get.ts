import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { stepFlag } from '../../features/contents/flags.ts';
import { showContent } from '../../features/contents/view.ts';

export default class ContentsGet extends SvcCommand {
  static override summary = 'Show the reward rate of a content, in all and over time';
  static override examples = ['<%= config.bin %> <%= command.id %> welcome_tour --step day'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the content' }),
  };
  static override flags = { step: stepFlag };

  protected override async run({ args, flags, out, signal, connect }: Context<typeof ContentsGet>) {
    const { client } = await connect();
    const { body } = await orUnsupportedOperation(
      `show the content ${args.id}`,
      (invocation) => `list the contents: ${invocation.onSameService('contents', 'list')}`,
      client.call('getContent', { params: { id: args.id }, query: { step: flags.step }, signal }),
    );
    out.result(body ?? {}, () => showContent(body, out));
  }
}
