import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { clockText, ofTestClock } from '../../features/clock/test-clock.ts';

export default class ClockShow extends SvcCommand {
  static override summary = 'Show the time of a service with a test clock';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r .now',
  ];

  protected override async run({ out, signal, connect }: Context<typeof ClockShow>): Promise<void> {
    const { client } = await connect();
    const clock = await ofTestClock(client.call('getClock', { query: {}, signal }));
    out.result(clock, () => clockText(clock));
  }
}
