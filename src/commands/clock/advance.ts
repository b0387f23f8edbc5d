import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { advance, clockText, ofTestClock, reachedText } from '../../features/clock/test-clock.ts';

/** The shortest and the longest move, in ms. */
const LEAST_MS = 1000;
const MOST_MS = 3660 * 86_400_000;

export default class ClockAdvance extends SvcCommand {
  static override summary = 'Move the clock of a service with a test clock forward';
  static override description =
    `Ends once the service has done what became due: retries, notifications that were held, what retention removes. Each is
done at its own time on the way. Requests that come in meanwhile do not keep it from ending. The clock is that of all workspaces of the service, and never goes back. If it is
interrupted, the service goes on.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3h',
    '<%= config.bin %> <%= command.id %> 400d --dry-run',
  ];
  static override args = {
    duration: Args.string({ required: true, description: 'how far, such as 90s, 3h or 2d' }),
  };
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'move nothing: count what would become due' }),
  };

  protected override async run(context: Context<typeof ClockAdvance>): Promise<void> {
    const { args, flags, out, world, signal, connect } = context;
    const ms = Math.round(parseDuration(args.duration, 'DURATION'));
    if (ms < LEAST_MS || ms > MOST_MS)
      throw new SvcError('usage', `the clock moves forward by 1s to 3660d, not by ${args.duration}`, {
        hint: (invocation) => invocation.onSameService('clock', 'advance', '1d'),
      });
    const { client } = await connect();
    if (!flags['dry-run']) {
      const reached = await advance(client, world.clock, ms, signal);
      return out.result(reached, () => reachedText(reached));
    }
    const { now } = await ofTestClock(client.call('getClock', { query: {}, signal }));
    const until = new Date(Date.parse(now) + ms).toISOString();
    const counted = await ofTestClock(client.call('getClock', { query: { until }, signal }));
    out.result(counted, () => clockText(counted));
  }
}
