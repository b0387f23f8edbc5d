import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { eventNames, namesIn } from '../../cli/flags/event-flag.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import type { RequestOf } from '../../contract/endpoints.ts';
import { TAP_KINDS } from '../../contract/schemas.ts';
import { orUnknownKinds, warnOfUnknownKinds } from '../../features/webhooks/event-kinds.ts';
import { webhookDetails, webhookOf } from '../../features/webhooks/view.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class WebhooksUpdate extends SvcCommand {
  static override summary = 'Change, enable, disable or renew a webhook subscription';
  static override description =
    'Pending deliveries of a disabled subscription are sent once it is active again; new outcomes are not queued.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> wh_3f1c… --url https://example.com/new',
    '<%= config.bin %> <%= command.id %> wh_3f1c… --status active',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };
  static override flags = {
    url: Flags.string({ summary: 'https URL that receives the deliveries', helpValue: 'U' }),
    event: Flags.string({
      ...eventNames,
      summary: "kinds of event, or '*' for all but decision.converted; replace the current ones",
      helpValue: 'K,K',
    }),
    status: Flags.string({ summary: 'active or disabled', options: ['active', 'disabled'] }),
    lease: Flags.string({
      summary: 'remove the subscription after this time unless it is renewed again',
      helpValue: '60s',
    }),
  };

  protected override async run(context: Context<typeof WebhooksUpdate>): Promise<void> {
    const { args, flags, out, signal } = context;
    const events = flags.event && (namesIn(flags.event) ?? [...TAP_KINDS]);
    if (events) warnOfUnknownKinds(events, out);
    const body = {
      ...(flags.url === undefined ? {} : { url: flags.url }),
      ...(events ? { events } : {}),
      ...(flags.status === undefined ? {} : { status: flags.status }),
      ...(flags.lease === undefined
        ? {}
        : { leaseSeconds: Math.ceil(parseDuration(flags.lease, '--lease') / 1000) }),
    } as RequestOf<'updateWebhook'>;
    if (Object.keys(body).length === 0)
      throw new SvcError('usage', 'no change was specified', {
        hint: (invocation) => invocation.rerunWith('--status', 'active'),
      });
    const { client } = await context.connect();
    const answer = await orAmbiguous(
      `whether ${args.id} was changed`,
      (invocation) =>
        `check its state: ${invocation.onSameResource(args.id, 'webhooks', 'get')}, then: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        `change the subscription ${args.id}`,
        (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
        orUnknownKinds(events ?? [], client.call('updateWebhook', { params: { id: args.id }, body, signal })),
      ),
    );
    out.result(objectOf(answer.body), () =>
      answer.body === undefined ? `changed subscription ${args.id}` : webhookDetails(webhookOf(answer.body)),
    );
  }
}
