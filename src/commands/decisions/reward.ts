import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';

export default class DecisionsReward extends SvcCommand {
  static override summary = 'Report what a decision was worth';
  static override description =
    'With --goal the value is added to what events earned of that goal. Without it, it is the reward of the decision. Another value replaces the one before, and a repetition changes nothing.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> dec_8c1f… 0.75',
    '<%= config.bin %> <%= command.id %> dec_8c1f… 1 --goal order',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the decision' }),
    value: Args.string({ required: true, description: 'the reward, from 0 to 1' }),
  };
  static override flags = {
    goal: Flags.string({ summary: 'the goal of the catalog that it is for', helpValue: 'ID' }),
  };

  protected override async run({
    args,
    flags,
    out,
    signal,
    connect,
  }: Context<typeof DecisionsReward>): Promise<void> {
    const value = Number(args.value);
    if (args.value.trim() === '' || !(value >= 0 && value <= 1))
      throw new SvcError('usage', `${args.value} is not a reward`, { hint: 'give a number from 0 to 1' });
    const { client } = await connect();
    const { body } = await orUnsupportedFeature(
      'rewards of decisions',
      client.call('rewardDecision', {
        params: { decisionId: args.id },
        body: { value, ...(flags.goal === undefined ? {} : { goalId: flags.goal }) },
        signal,
      }),
      (error) => error.code === 'NOT_FOUND',
    );
    out.result(body ?? null, () => `recorded ${value} for ${args.id}`);
  }
}
