import { type Context, SvcCommand } from '../cli/command/command.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { runBatch } from '../cli/input/batch-input.ts';
import { connectForUser } from '../cli/input/named-user.ts';
import { OR_INPUT, userRequestFlags } from '../cli/input/user-request.ts';
import { liftOf } from '../cli/terminal/pace.ts';
import { escapeJson } from '../cli/terminal/sanitize.ts';
import { decideRequest, decideRequestOfLine } from '../features/decide/request.ts';
import { showDecision } from '../features/decide/view.ts';

export default class Decide extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Ask for the next best action for a user';
  static override description =
    `The answer is a table with the ranking as a bar and the reason; --json prints it unchanged.

With --input, each line is a request: a bare hashId, or a JSON object as accepted by POST /v1/decisioning/decide. The
other flags supply what a line leaves out. For each line, one line is printed, in the same order: {"request", "response"}
or {"request", "error"}. Requests are sent concurrently within the rate limit. A failed line does not stop the others: the
command exits with 7.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --channel in-app --surface home --locale en-GB',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --surface home --context daypart=morning',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --exclude-category offers --max-daily-contacts 2 --json',
    'cut -f1 ids.tsv | <%= config.bin %> <%= command.id %> --input - --surface home | jq -r .response.action.contentId',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override flags = {
    'hash-id': userRequestFlags['hash-id'],
    'user-id': userRequestFlags['user-id'],
    channel: Flags.string({ summary: 'channel of the surface, such as in-app', helpValue: 'C' }),
    surface: Flags.string({ summary: 'name of the surface, such as home', helpValue: 'S' }),
    locale: Flags.string({ summary: 'language and region, such as en-GB', helpValue: 'TAG' }),
    context: Flags.string({
      summary: 'another field of the context, such as daypart=morning (may be repeated)',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'KEY=VALUE',
    }),
    'exclude-category': Flags.string({
      summary: 'category that must not be chosen (may be repeated)',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'X',
    }),
    'max-daily-contacts': Flags.integer({
      summary: 'maximum number of contacts per calendar day of the user, including this one',
      min: 0,
      helpValue: 'N',
    }),
    input: userRequestFlags.input,
  };

  protected override async run(context: Context<typeof Decide>): Promise<void> {
    const { flags, out, world, signal } = context;
    if (flags.input !== undefined) {
      const { client, pacers, isLocal } = await context.connect({ lasting: true });
      await runBatch({
        input: flags.input,
        pacer: pacers.of('decisions'),
        lift: liftOf('decisions', { isLocal }),
        world,
        out,
        signal,
        debug: flags.debug,
        invocation: context.invocation,
        read: (line) => decideRequestOfLine(line, flags, { isLocal }),
        call: (body, _onAccepted, waiting) => client.call('decide', { body, waiting }),
      });
      return;
    }
    const asked = decideRequest(flags['hash-id'] ?? '', flags);
    const { connection, hashId } = await connectForUser(context, OR_INPUT);
    const request = { ...asked, hashId };
    const { client } = connection;
    const { text, body } = await client.call('decide', { body: request, signal });
    if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
    else out.result(text === '' ? null : text, () => showDecision(body, out));
  }
}
