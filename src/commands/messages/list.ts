import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { foreignJson } from '../../cli/terminal/sanitize.ts';
import { allOf } from '../../client/pages.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Maximum number of messages shown, newest first. */
const MAX_MESSAGES = 1000;

function messagesOf(body: unknown): readonly unknown[] {
  const { messages } = objectOf(body);
  return Array.isArray(messages) ? messages : [];
}

export default class MessagesList extends SvcCommand {
  static override summary = 'List the pending messages of a user';
  static override description =
    'Lists what the app gets when the user opens it: decisions of the current day that have no outcome yet.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --json | jq -r .messages[].decisionId',
  ];
  static override flags = {
    'hash-id': Flags.string({ summary: 'hashed identifier of the user', required: true, helpValue: 'H' }),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof MessagesList>): Promise<void> {
    const { client } = await connect();
    const texts: string[] = [];
    const page = async (after: string | undefined) => {
      const answer = await client.call('listMessages', {
        query: { hashId: flags['hash-id'], after },
        signal,
      });
      texts.push(answer.text);
      return answer;
    };
    const { body, list } = await orUnsupportedFeature('messages', allOf(page, messagesOf, MAX_MESSAGES));
    // A single page is printed as the service sent it.
    if (out.json && texts.length === 1) return out.raw(`${foreignJson(texts[0]!)}\n`);
    const messages = list.map(objectOf);
    const cell = (value: unknown) => (typeof value === 'string' ? value : '');
    out.result({ ...body, messages: list }, () =>
      messages.length === 0
        ? 'No pending messages'
        : out.table(
            [
              { title: 'DECISION', whole: true },
              { title: 'CONTENT' },
              { title: 'FORMAT' },
              { title: 'TITLE' },
              { title: 'BODY' },
            ],
            messages.map((m) => [
              cell(m.decisionId),
              cell(m.contentId),
              cell(m.format),
              cell(m.title),
              cell(m.body),
            ]),
          ),
    );
  }
}
