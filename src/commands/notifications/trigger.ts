import { type Context, SvcCommand } from '../../cli/command/command.ts';
import type { Connection } from '../../cli/connection/connect.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { runBatch } from '../../cli/input/batch-input.ts';
import { connectForUser } from '../../cli/input/named-user.ts';
import { OR_INPUT, userRequestFlags } from '../../cli/input/user-request.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import { liftOf } from '../../cli/terminal/pace.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { withSpinner } from '../../cli/terminal/spinner.ts';
import type { Answer, CallOptions } from '../../client/client.ts';
import { MAX_SEND_AHEAD_DAYS } from '../../contract/limits.ts';
import type { TriggerRequest } from '../../contract/schemas.ts';
import { followNotification } from '../../features/notifications/follow.ts';
import { parseSendAt, sendTimeOf } from '../../features/notifications/send-at.ts';
import {
  triggerRequest,
  triggerRequestOfLine,
  warnOfUnknown,
} from '../../features/notifications/trigger-request.ts';
import { notificationStatus, requireDelivered, showNotification } from '../../features/notifications/view.ts';
import { definedFields } from '../../kit/defined-fields.ts';
import { objectOf } from '../../kit/object-of.ts';
import { commandLine } from '../../kit/shell.ts';

export default class NotificationsTrigger extends SvcCommand {
  static override aliases = ['notify'];
  static override summary = 'Trigger a templated notification to a user, by hashId';
  static override description =
    `The service fills in the template and adds names, phone and account numbers. Values that look like personal data are
refused (exit 2) unless you add --allow-personal-data.

No user is messaged twice. If the response to a request is lost, the request is retried only if the service supports
Idempotency-Key (\`local\`, and profiles added with --idempotent). Otherwise, the command exits with 6 and says what may
have happened.

With --input, each line is a request: a bare hashId, or a JSON object as accepted by POST /v1/inform/trigger. The other
flags supply what a line leaves out. For each line, one line is printed, in the same order: {"request", "response"} or
{"request", "accepted", "error"}. "accepted" says whether the service accepted a request that failed; null if that is not
known. The last message has the command that retries the lines that were not accepted, and only those.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --template order_update --channel whatsapp --var orderId=A-1',
    '<%= config.bin %> notify --hash-id 3f1c… --template welcome --channel email --wait',
    '<%= config.bin %> notify --hash-id 3f1c… --template welcome --channel email --send-at 2h',
    '<%= config.bin %> <%= command.id %> --input hash-ids.txt --template payment_reminder --channel sms --priority transactional',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override flags = {
    'hash-id': userRequestFlags['hash-id'],
    'user-id': userRequestFlags['user-id'],
    template: Flags.string({ char: 't', summary: 'identifier of the template', helpValue: 'T' }),
    channel: Flags.string({ char: 'c', summary: 'whatsapp, sms, email or push', helpValue: 'C' }),
    var: Flags.string({
      summary: 'value of a template variable (may be repeated)',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'k=v',
    }),
    priority: Flags.string({ summary: 'transactional or marketing', helpValue: 'P' }),
    'send-at': Flags.string({
      summary: `send it at a time or after a duration, at most ${MAX_SEND_AHEAD_DAYS} days ahead`,
      helpValue: '2h|TIME',
    }),
    wait: Flags.boolean({ summary: 'wait until the notification is delivered, failed or held' }),
    'wait-timeout': Flags.string({
      summary: 'longest time that --wait waits; exits with 6 after it',
      default: '60s',
      helpValue: '60s',
    }),
    'allow-personal-data': Flags.boolean({ summary: 'send values that look like personal data' }),
    input: userRequestFlags.input,
  };

  protected override async run(context: Context<typeof NotificationsTrigger>): Promise<void> {
    const { flags, out, world, signal } = context;
    warnOfUnknown(flags, out);
    const waitMs = parseDuration(flags['wait-timeout'], '--wait-timeout');
    const sendAt = flags['send-at'] === undefined ? undefined : parseSendAt(flags['send-at']);
    const timed = async ({ client }: Connection) =>
      sendAt === undefined
        ? flags
        : { ...flags, 'send-at': await sendTimeOf(sendAt, client, world.clock.now(), signal) };
    const follow = (connection: Connection, id: string) =>
      followNotification({
        client: connection.client,
        clock: world.clock,
        id,
        timeoutMs: waitMs,
        signal,
        untilHeld: true,
      });

    if (flags.input !== undefined) {
      const connection = await context.connect({ lasting: true });
      const defaults = await timed(connection);
      await runBatch({
        input: flags.input,
        pacer: connection.pacers.of('inform'),
        lift: liftOf('inform', connection),
        world,
        out,
        signal,
        debug: flags.debug,
        invocation: context.invocation,
        hasEffects: true,
        read: (line) => triggerRequestOfLine(line, defaults, connection),
        call: async (body, onAccepted, waiting) => {
          const answer = await trigger(connection, body, { waiting });
          onAccepted();
          if (!flags.wait) return answer;
          const id = idOf(answer);
          const followed = await follow(connection, id);
          requireDelivered(id, followed);
          return followed.answer ?? answer;
        },
      });
      return;
    }

    const asked = triggerRequest(flags['hash-id'] ?? '', flags);
    const { connection, hashId } = await connectForUser(context, OR_INPUT);
    const { 'send-at': at } = await timed(connection);
    const request = { ...asked, hashId, ...definedFields({ sendAt: at }) };
    const answer = await trigger(connection, request, { signal });
    const print = ({ text, body }: Answer) => {
      if (out.json && body !== undefined) out.raw(`${escapeJson(text.trim())}\n`);
      else
        out.result(body ?? {}, () =>
          flags.wait ? showNotification(body, connection.workspace, out) : accepted(body, context.invocation),
        );
    };
    if (!flags.wait) return print(answer);
    const id = idOf(answer);
    const waited = withSpinner(world, out, 'waiting for the delivery', () => follow(connection, id));
    const followed = await waited.catch((error: unknown) => {
      print(answer);
      throw error;
    });
    print(followed.answer ?? answer);
    requireDelivered(id, followed);
  }
}

function trigger(
  { client }: Connection,
  body: TriggerRequest,
  until: Pick<CallOptions, 'signal' | 'waiting'>,
): Promise<Answer> {
  return orAmbiguous(
    `whether the notification ${body.templateId} to ${body.hashId} was accepted; it was not retried`,
    ({ settings }) => {
      const ask =
        'before you trigger it again, ask the operator of the service whether the user was messaged';
      const { profile } = settings ?? {};
      return profile === undefined
        ? ask
        : `${ask}; if the service supports Idempotency-Key, svc can retry safely after: ${commandLine(['svc', 'profiles', 'add', profile, '--idempotent'])}`;
    },
    client.call('trigger', { body, ...until }),
  );
}

/** Throws `not_offered` if the answer does not name the notification. */
function idOf({ body }: Answer): string {
  const { notificationId } = objectOf(body);
  if (typeof notificationId === 'string' && notificationId !== '') return notificationId;
  throw new SvcError(
    'not_offered',
    'the notification was accepted, but the service returned no identifier, so --wait cannot follow it',
    { hint: 'do not trigger it again; omit --wait for this service' },
  );
}

function accepted(body: unknown, invocation: Invocation) {
  const { notificationId, status, sendAt } = objectOf(body);
  if (typeof notificationId !== 'string') return 'accepted';
  return [
    `${notificationId}  `,
    typeof status === 'string' ? notificationStatus(status) : 'accepted',
    typeof sendAt === 'string'
      ? ` until ${sendAt}\nto cancel it: ${invocation.onSameResource(notificationId, 'notifications', 'cancel')}`
      : '',
    `\nto follow it: ${invocation.onSameResource(notificationId, 'notifications', 'watch')}`,
  ];
}
