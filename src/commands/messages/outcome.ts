import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { MESSAGE_OUTCOMES } from '../../contract/schemas.ts';

export default class MessagesOutcome extends SvcCommand {
  static override summary = 'Report an outcome of a message';
  static override description =
    'The type is opened, clicked, actioned or dismissed. Reporting an outcome again has no effect. All types but dismissed are sent to webhook subscribers.';
  static override examples = ['<%= config.bin %> <%= command.id %> dec_8c1f… clicked'];
  static override args = {
    decision: Args.string({ description: 'decisionId of the message', required: true }),
    type: Args.string({ description: MESSAGE_OUTCOMES.join(', '), required: true }),
  };

  protected override async run({
    args,
    out,
    signal,
    connect,
  }: Context<typeof MessagesOutcome>): Promise<void> {
    const known = MESSAGE_OUTCOMES.find((type) => type === args.type);
    if (!known) out.warn(`${args.type} is not one of ${MESSAGE_OUTCOMES.join(', ')}; sent as given`);
    const { client } = await connect();
    const { body } = await orUnsupportedFeature(
      'message outcomes',
      client.call('messageOutcome', {
        params: { decisionId: args.decision },
        raw: JSON.stringify({ type: args.type }),
        signal,
      }),
      (error) => error.code === 'NOT_FOUND',
    );
    out.result(body ?? null, () => `recorded ${args.type} of ${args.decision}`);
  }
}
