import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { connectForUser, userFlags } from '../../cli/input/named-user.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { foreignJson } from '../../cli/terminal/sanitize.ts';
import { allOf } from '../../client/pages.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Maximum number of messages shown, newest first. */
const MAX_MESSAGES = 1000;

const FIELDS: readonly Field<object>[] = [
  { field: 'decisionId', title: 'DECISION', whole: true },
  { field: 'contentId', title: 'CONTENT' },
  { field: 'format', title: 'FORMAT' },
  { field: 'title', title: 'TITLE' },
  { field: 'body', title: 'BODY' },
  { field: 'channel', title: 'CHANNEL', extra: true },
  { field: 'surface', title: 'SURFACE', extra: true },
  { field: 'servedAt', title: 'SERVED', whole: true, extra: true },
];

function messagesOf(body: unknown): readonly unknown[] {
  const { messages } = objectOf(body);
  return Array.isArray(messages) ? messages : [];
}

export default class MessagesList extends SvcCommand {
  static override summary = 'List the pending messages of a user';
  static override description =
    'Lists what the app gets when the user opens it: decisions of the last days that have no outcome yet. Listed messages count as served, and as contacts of the user, unless you add --peek.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --peek',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --json | jq -r .messages[].decisionId',
  ];
  static override flags = {
    ...userFlags,
    channel: Flags.string({ summary: 'only messages for this channel', helpValue: 'C' }),
    surface: Flags.string({ summary: 'only messages for this surface', helpValue: 'S' }),
    peek: Flags.boolean({ summary: 'only look: nothing is served, and no contact is counted' }),
    fields: fieldsFlag(FIELDS),
  };

  protected override async run(context: Context<typeof MessagesList>): Promise<void> {
    const { flags, out, signal } = context;
    const { connection, hashId } = await connectForUser(context);
    const { client } = connection;
    const texts: string[] = [];
    const page = async (after: string | undefined) => {
      const { channel, surface } = flags;
      const query = { channel, surface, after };
      const answer = await (flags.peek
        ? client.call('peekMessages', { params: { hashId }, query, signal })
        : client.call('listMessages', { query: { hashId, ...query }, signal }));
      texts.push(answer.text);
      return answer;
    };
    const { body, list } = await orUnsupportedFeature('messages', allOf(page, messagesOf, MAX_MESSAGES));
    // A single page is printed as the service sent it.
    if (out.json && texts.length === 1 && !flags.fields) return out.raw(`${foreignJson(texts[0]!)}\n`);
    out.list(
      {
        key: 'messages',
        rows: list.map(objectOf),
        fields: FIELDS,
        rest: body,
        empty: 'no pending messages',
      },
      flags.fields,
    );
  }
}
