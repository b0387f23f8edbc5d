import { type Context, SvcCommand } from '../cli/command/command.ts';
import { orUnsupportedFeature } from '../cli/errors/unsupported-feature.ts';
import { stepFlag } from '../features/contents/flags.ts';
import { showModel } from '../features/contents/view.ts';

export default class Model extends SvcCommand {
  static override summary = 'Show the state of the learned model, and its gain over the holdout group';
  static override examples = ['<%= config.bin %> <%= command.id %>'];
  static override flags = { step: stepFlag };

  protected override async run({ flags, out, signal, connect }: Context<typeof Model>): Promise<void> {
    const { client } = await connect();
    const { body } = await orUnsupportedFeature(
      'the state of the model',
      client.call('getModel', { query: { step: flags.step }, signal }),
    );
    out.result(body ?? {}, () => showModel(body, out));
  }
}
