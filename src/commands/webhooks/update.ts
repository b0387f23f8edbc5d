import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { eventNames } from '../../cli/flags/event-flag.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { Client } from '../../client/client.ts';
import type { RequestOf } from '../../contract/endpoints.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import { startsWithDate } from '../../contract/timestamp.ts';
import { warnOfDevelopmentUrl } from '../../features/webhooks/development-url.ts';
import { kindsIn, orUnknownKinds, warnOfUnknownKinds } from '../../features/webhooks/event-kinds.ts';
import { headerFlag, headersOf } from '../../features/webhooks/header-file.ts';
import { parseRate } from '../../features/webhooks/rate.ts';
import { missedOf, missedText, webhookDetails, webhookOf } from '../../features/webhooks/view.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class WebhooksUpdate extends SvcCommand {
  static override summary = 'Change, enable, disable or renew a webhook subscription';
  static override description =
    `Pending deliveries of a disabled subscription are sent once it is active again. What occurred meanwhile is kept (serve
--retain outcomes) and sent if you ask for it: --from disabled, or a time. It comes in order, behind new outcomes.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> wh_3f1c… --url https://example.com/new',
    '<%= config.bin %> <%= command.id %> wh_3f1c… --status active --from disabled',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
  };
  static override flags = {
    url: Flags.string({ summary: 'https URL that receives the deliveries', helpValue: 'U' }),
    event: Flags.string({
      ...eventNames,
      summary: 'kinds of event as of webhooks create; replace the current ones',
      helpValue: 'K,K',
    }),
    status: Flags.string({ summary: 'active or disabled', options: ['active', 'disabled'] }),
    filter: Flags.string({
      summary: "only outcomes that pass, such as 'contentId:summer_* channel:push'; '' for all",
      helpValue: 'FILTER',
    }),
    description: Flags.string({ summary: 'what it is for, in your words', helpValue: 'TEXT' }),
    'max-rate': Flags.string({
      summary: 'send at most so many deliveries a second; none for no limit',
      helpValue: '20/s',
    }),
    ...headerFlag,
    lease: Flags.string({
      summary: 'remove the subscription after this time unless it is renewed again',
      helpValue: '60s',
    }),
    from: Flags.string({
      summary:
        'with --status active: also send the outcomes since it was disabled, or since a time (default: now)',
      helpValue: 'disabled|TIME|now',
    }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask before outcomes are sent' }),
  };

  protected override async run(context: Context<typeof WebhooksUpdate>): Promise<void> {
    const { args, flags, out, signal, world } = context;
    const events = flags.event && (kindsIn(flags.event) ?? [...TAP_KINDS]);
    if (events) warnOfUnknownKinds(events, out);
    const headers = await headersOf(flags, world, out);
    const body = {
      ...(flags.url === undefined ? {} : { url: flags.url }),
      ...(events ? { events } : {}),
      ...(flags.status === undefined ? {} : { status: flags.status }),
      ...(flags.filter === undefined ? {} : { filter: flags.filter }),
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...(flags['max-rate'] === undefined
        ? {}
        : {
            maxRate: flags['max-rate'] === 'none' ? null : parseRate(flags['max-rate'], '--max-rate', 1000),
          }),
      ...(headers === undefined ? {} : { headers }),
      ...(flags.lease === undefined
        ? {}
        : { leaseSeconds: Math.ceil(parseDuration(flags.lease, '--lease') / 1000) }),
      ...(flags.from === undefined ? {} : { from: checkedFrom(flags.from, flags.status) }),
    } as RequestOf<'updateWebhook'>;
    if (Object.keys(body).length === 0)
      throw new SvcError('usage', 'no change was specified', {
        hint: (invocation) => invocation.rerunWith('--status', 'active'),
      });
    const connection = await context.connect();
    const { client } = connection;
    if (body.from !== undefined && body.from !== 'now') await confirmMissed(context, client, body.from);
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
    if (flags.url !== undefined) warnOfDevelopmentUrl(flags.url, connection, out);
    out.result(objectOf(answer.body), () =>
      answer.body === undefined ? `changed subscription ${args.id}` : webhookDetails(webhookOf(answer.body)),
    );
  }
}

/** Returns a value of --from: a time in full. Throws usage. */
function checkedFrom(text: string, status: string | undefined): string {
  const time = startsWithDate(text) ? Date.parse(text) : Number.NaN;
  if (text !== 'now' && text !== 'disabled' && Number.isNaN(time))
    throw new SvcError('usage', `--from ${text} is neither disabled, now nor a time`, {
      hint: 'name a time such as 2026-11-20T08:00Z',
    });
  if (text !== 'now' && status !== 'active')
    throw new SvcError('usage', '--from needs --status active', {
      hint: (invocation) => invocation.rerunWith('--status', 'active'),
    });
  return text === 'now' || text === 'disabled' ? text : new Date(time).toISOString();
}

/** Says how many outcomes a subscription missed, and asks whether they are to be sent. Throws usage if not. */
async function confirmMissed(
  { args, flags, out, world, signal }: Context<typeof WebhooksUpdate>,
  client: Client,
  from: string,
): Promise<void> {
  const { body } = await client.call('getWebhook', { params: { id: args.id }, query: { from }, signal });
  const missed = missedOf(body);
  if (!missed) return;
  out.notice(missedText(missed));
  const instead = (invocation: Invocation) => invocation.rerunWith('--yes');
  const sure =
    flags.yes ||
    missed.outcomes === missed.erased ||
    (await confirm(world, `Send them to ${args.id}?`, { noInput: flags['no-input'], instead }));
  if (!sure) throw new SvcError('usage', 'nothing was changed', { hint: instead });
}
