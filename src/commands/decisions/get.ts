import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { showLoggedDecision } from '../../features/decisions/view.ts';

export default class DecisionsGet extends SvcCommand {
  static override summary = 'Show a logged decision with its reason, candidates, removed contents and reward';
  static override examples = ['<%= config.bin %> <%= command.id %> dec_8c1f…'];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the decision' }),
  };

  protected override async run({ args, out, signal, connect }: Context<typeof DecisionsGet>): Promise<void> {
    const { client } = await connect();
    const { text, body } = await orUnsupportedOperation(
      `show the decision ${args.id}`,
      (invocation) => `list the decisions: ${invocation.onSameService('decisions', 'list')}`,
      client.call('getDecision', { params: { id: args.id }, signal }),
    );
    if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
    else out.result(body ?? {}, () => showLoggedDecision(body, out));
  }
}
