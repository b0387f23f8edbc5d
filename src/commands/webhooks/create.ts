import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { eventNames } from '../../cli/flags/event-flag.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { RequestOf } from '../../contract/endpoints.ts';
import { EVENT_KINDS } from '../../contract/event-kind-names.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import { warnOfDevelopmentUrl } from '../../features/webhooks/development-url.ts';
import { kindsIn, orUnknownKinds, warnOfUnknownKinds } from '../../features/webhooks/event-kinds.ts';
import { headerFlag, headersOf } from '../../features/webhooks/header-file.ts';
import { parseRate } from '../../features/webhooks/rate.ts';
import { signingSecret } from '../../features/webhooks/signing-secret.ts';
import { printWithSecret, webhookOf } from '../../features/webhooks/view.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { storeWebhook, webhookKey } from '../../profiles/webhook-store.ts';

export default class WebhooksCreate extends SvcCommand {
  static override summary = 'Subscribe a URL to outcomes';
  static override description =
    `The service sends each outcome of the selected kinds to the URL with POST, signed with the signing secret. Without a
secret, one is generated from 32 random bytes as 64 hex characters and shown once. The profile stores the secret (mode
0600) for listen, verify and sign. The signing key is the text of the secret, not decoded.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --url https://example.com/hook --event campaign.clicked,decision.actioned',
    'openssl rand -hex 32 | <%= config.bin %> <%= command.id %> --url https://example.com/hook --event campaign.opened --secret-file -',
  ];
  static override flags = {
    url: Flags.string({ required: true, summary: 'https URL that receives the deliveries', helpValue: 'U' }),
    event: Flags.string({
      ...eventNames,
      required: true,
      summary: `kinds of event: ${EVENT_KINDS.join(', ')}; '*' for ${TAP_KINDS.join(', ')}`,
      helpValue: 'K,K',
    }),
    'secret-file': Flags.string({
      summary:
        'file with the signing secret, or - for standard input (default: SVC_WEBHOOK_SECRET, then a new secret)',
      helpValue: 'FILE|-',
    }),
    filter: Flags.string({
      summary: "only outcomes that pass, such as 'contentId:summer_* channel:push'",
      helpValue: 'FILTER',
    }),
    description: Flags.string({ summary: 'what it is for, in your words', helpValue: 'TEXT' }),
    'max-rate': Flags.string({
      summary: 'send at most so many deliveries a second',
      helpValue: '20/s',
    }),
    ...headerFlag,
    lease: Flags.string({
      summary: 'remove the subscription after this time unless it is renewed with update --lease',
      helpValue: '60s',
    }),
  };

  protected override async run(context: Context<typeof WebhooksCreate>): Promise<void> {
    const { flags, out, world, paths, signal } = context;
    const events = kindsIn(flags.event) ?? [...TAP_KINDS];
    warnOfUnknownKinds(events, out);
    if (flags['header-file'] === '-' && flags['secret-file'] === '-')
      throw new SvcError('usage', 'both the secret and the headers would come from standard input', {
        hint: 'name a file for one of them',
      });
    const headers = await headersOf(flags, world, out);
    const { secret, generated } = await signingSecret(world, flags['secret-file']);
    const body = {
      url: flags.url,
      events,
      signingSecret: secret,
      ...(flags.filter === undefined ? {} : { filter: flags.filter }),
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...(flags['max-rate'] === undefined
        ? {}
        : { maxRate: parseRate(flags['max-rate'], '--max-rate', 1000) }),
      ...(headers === undefined ? {} : { headers }),
      ...(flags.lease === undefined
        ? {}
        : { leaseSeconds: Math.ceil(parseDuration(flags.lease, '--lease') / 1000) }),
    } as RequestOf<'createWebhook'>;
    const connection = await context.connect();
    const answer = await orAmbiguous(
      `whether the subscription of ${flags.url} was created`,
      (invocation) =>
        `list the subscriptions before you create it again: ${invocation.onSameService('webhooks', 'list')}`,
      orUnknownKinds(events, connection.client.call('createWebhook', { body, signal })),
    );
    const created = webhookOf(answer.body);
    warnOfDevelopmentUrl(flags.url, connection, out);
    const id = created.id ?? flags.url;
    await storeWebhook(new Profiles(paths.configDir), webhookKey(connection), id, {
      url: flags.url,
      events,
      signingSecret: secret,
      createdAt: created.createdAt ?? new Date(world.clock.now()).toISOString(),
    });
    const webhook = {
      ...created,
      id,
      url: created.url ?? flags.url,
      events: created.events.length ? created.events : events,
    };
    printWithSecret(out, { body: answer.body, webhook, secret, generated });
  }
}
