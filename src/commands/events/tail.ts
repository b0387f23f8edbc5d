import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { localServiceHint } from '../../cli/errors/service-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { eventNames, namesIn } from '../../cli/flags/event-flag.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { EVENT_FIELDS, type EventField } from '../../features/live-events/fields.ts';
import type { Term } from '../../kit/event-filter/parse.ts';

export default class EventsTail extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Show events as they arrive';
  static override description =
    `Prints the live event stream until Ctrl-C. A lost connection is reopened after the last event, so that no event is
missed. With --json, prints one event per line, with numbers as they were sent. A filter has terms such as user:u-17,
amount>100, -source:web or "any words"; an event must match all of them.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> --filter 'amount>100 -source:web'",
    '<%= config.bin %> <%= command.id %> --event purchase,refund --json | jq .userId',
  ];
  static override flags = {
    event: Flags.string({
      ...eventNames,
      // Several names in a row were accepted before names were joined by commas.
      multipleNonGreedy: false,
      summary: "only events with these names, or '*' for all",
      helpValue: 'NAME,…',
    }),
    'user-id': Flags.string({ summary: 'only events of this user', multiple: true, helpValue: 'ID' }),
    filter: Flags.string({ summary: 'only events that match all terms of this filter', helpValue: 'TERMS' }),
    fields: fieldsFlag(EVENT_FIELDS),
    count: Flags.integer({ char: 'n', summary: 'exit after this number of events', min: 1, helpValue: 'N' }),
  };

  protected override async run({
    flags,
    out,
    world,
    signal,
    connect,
  }: Context<typeof EventsTail>): Promise<ExitCode> {
    const terms = flags.filter === undefined ? [] : await termsOf(flags.filter);
    const { client } = await connect({ lasting: true });
    const { follow } = await import('../../client/follow.ts');
    const { jsonLine, readEvent, matches, removedText, tableLine, tableHead } = await import(
      '../../features/live-events/event.ts'
    );
    const { matchesFilter } = await import('../../kit/event-filter/match.ts');
    const { randomFrom } = await import('../../kit/random.ts');
    const done = new AbortController();
    const stream = follow({
      client,
      clock: world.clock,
      random: randomFrom(undefined),
      maxRetries: flags['max-retries'],
      signal: AbortSignal.any([signal, done.signal]),
      onState: (state) => {
        out.notice(
          state === 'open' ? 'watching for events; stop with Ctrl-C' : 'connection lost; reconnecting',
        );
      },
    });
    const filter = { events: namesIn(flags.event) ?? [], users: flags['user-id'] ?? [] };
    const fields = (flags.fields ?? EVENT_FIELDS.map(({ field }) => field)) as EventField[];
    const layout = { columns: out.columns, fields };
    let remaining = flags.count ?? Infinity;
    let headPrinted = out.json;
    for await (const { event: type, data } of orNotOffered(stream)) {
      if (type === 'gap') {
        out.warn(removedText(data!));
        continue;
      }
      const event = readEvent(data!);
      if (!matches(event, filter)) continue;
      if (terms.length > 0 && !(event && matchesFilter(terms, event))) continue;
      if (!headPrinted) out.line(undefined, () => tableHead(layout));
      headPrinted = true;
      if (out.json)
        out.raw(`${event ? escapeJson(jsonLine(data!, flags.fields)) : JSON.stringify({ text: data })}\n`);
      else out.line(undefined, () => tableLine(event, data!, layout));
      if (--remaining === 0) {
        done.abort();
        return EXIT.done;
      }
    }
    return EXIT.interrupted;
  }
}

async function termsOf(filter: string): Promise<readonly Term[]> {
  const { parseFilter } = await import('../../kit/event-filter/parse.ts');
  const parsed = parseFilter(filter);
  if (parsed.ok) return parsed.terms;
  throw new SvcError('usage', `--filter: ${parsed.message} (at character ${parsed.at + 1})`, {
    hint: `terms are key:value, key>number or words, such as --filter 'user:u-17 amount>100 -source:web'`,
  });
}

/** Throws `not_offered` if the service has no event stream, which is not worth retrying. */
async function* orNotOffered<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  const { isUnsupported } = await import('../../client/errors.ts');
  try {
    yield* stream;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    throw new SvcError('not_offered', 'this service does not offer a live event stream', {
      hint: localServiceHint,
      cause: error,
    });
  }
}
