import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { acknowledgementFlag } from '../../features/import/option-table/flags.ts';

export default class EventsSend extends SvcCommand {
  static override summary = 'Send one event';
  static override description =
    'A property becomes a number or boolean only if it prints as the same characters; "k=01234" stays a string.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --user-id u1 --event page_viewed --property page=/home --property ms=120',
    '<%= config.bin %> <%= command.id %> --user-id u1 --event signed_up --timestamp 2026-01-31T12:00:00Z --json',
  ];
  static override flags = {
    'user-id': Flags.string({ summary: 'the user the event belongs to', required: true, helpValue: 'U' }),
    event: Flags.string({ summary: 'name of the event', required: true, char: 'e', helpValue: 'E' }),
    property: Flags.string({
      summary: 'a property of the event',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'k=v',
    }),
    'event-id': Flags.string({
      summary: 'an id of your own: of the events with the same id, the service stores the first',
      helpValue: 'ID',
    }),
    ...acknowledgementFlag,
    timestamp: Flags.string({ summary: 'time of the event, in UTC; now by default', helpValue: 'T' }),
  };

  protected override async run({
    flags,
    out,
    world,
    connect,
    signal,
  }: Context<typeof EventsSend>): Promise<void> {
    const { eventText } = await import('../../features/import/mapping/one-event.ts');
    const { answersOf } = await import('../../features/import/deliver/answers-of.ts');
    const { NotAcknowledged, requireAcknowledgement } = await import('../../client/acknowledgement.ts');
    const textAt = (now: number): string => {
      const timestamp = flags.timestamp ?? new Date(now).toISOString();
      const text = eventText(
        flags['user-id'],
        flags.event,
        timestamp,
        flags.property ?? [],
        flags['event-id'],
      );
      if ('json' in text) return text.json;
      throw new SvcError('usage', `${text.field} ${text.reason}`, {
        hint: (invocation) =>
          invocation.onSameService(
            ...['events', 'send', '--user-id', 'U', '--event', 'E', '--property', 'name=value'],
            ...['--timestamp', '2026-01-31T12:00:00Z'],
          ),
      });
    };
    // Checked before there is a connection.
    textAt(world.clock.now());
    const connection = await connect();
    const answer = await connection.client.call('ingestEvents', {
      raw: `{"events":[${textAt(connection.now())}]}`,
      signal,
    });
    try {
      requireAcknowledgement(answer, { kind: 'events', count: 1, ...answersOf(connection, flags) });
    } catch (error) {
      if (!(error instanceof NotAcknowledged)) throw error;
      throw new SvcError('not_acknowledged', error.message, {
        hint: (invocation) =>
          error.contradicts
            ? `find out what answers: ${invocation.onSameService('doctor')}`
            : `if this service acknowledges like that: ${invocation.rerunWith('--accept-any-answer')}`,
        cause: error,
      });
    }
    out.result(answer.body ?? { accepted: 1 }, () => `sent ${flags.event} for ${flags['user-id']}`);
  }
}
