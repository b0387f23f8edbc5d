import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { eventNames, namesIn } from '../../cli/flags/event-flag.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { Redraw } from '../../cli/terminal/redraw.ts';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import type { RequestOf } from '../../contract/endpoints.ts';
import { orUnknownKinds, warnOfUnknownKinds } from '../../features/webhooks/event-kinds.ts';
import { parseRate } from '../../features/webhooks/rate.ts';
import {
  countText,
  followRedelivery,
  progressText,
  redeliveryOf,
} from '../../features/webhooks/redelivery.ts';
import { parseSince } from '../../features/webhooks/since.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class WebhooksRedeliver extends SvcCommand {
  static override summary = 'Send deliveries again, with the same bytes and identifiers';
  static override description =
    `One delivery, or with --since those that were given up, in order of occurrence and behind new ones. The service queues them as
they are answered. Interrupted, this command only stops showing that: run it again to see it, or with --stop to end it.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> wh_3f1c… dlv_77ab…',
    '<%= config.bin %> <%= command.id %> wh_3f1c… --since 6h --dry-run',
    '<%= config.bin %> <%= command.id %> wh_3f1c… --since 6h --status undelivered',
    '<%= config.bin %> <%= command.id %> wh_3f1c… --since 6h --rate 50/s',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'identifier of the subscription' }),
    delivery: Args.string({ description: 'identifier of the delivery' }),
  };
  static override flags = {
    since: Flags.string({
      summary: 'send those of outcomes since a time, or since so long ago',
      helpValue: '6h|TIME',
    }),
    status: Flags.string({
      summary:
        'failed; undelivered: also those that wait for a retry, at once; all: also delivered (default: failed)',
      options: ['failed', 'undelivered', 'all'],
      helpValue: 'STATE',
      dependsOn: ['since'],
    }),
    event: Flags.string({
      ...eventNames,
      summary: 'only those of these kinds',
      helpValue: 'K,K',
      dependsOn: ['since'],
    }),
    rate: Flags.string({
      summary: 'send at most so many a second (default: as fast as they are answered)',
      helpValue: '50/s',
      dependsOn: ['since'],
    }),
    'dry-run': Flags.boolean({ summary: 'only count them', dependsOn: ['since'] }),
    stop: Flags.boolean({ summary: 'stop what is being sent again', exclusive: ['since'] }),
  };

  protected override async run(context: Context<typeof WebhooksRedeliver>): Promise<void> {
    const { args, flags } = context;
    const ways = [args.delivery, flags.since, flags.stop || undefined].filter((way) => way !== undefined);
    if (ways.length !== 1)
      throw new SvcError('usage', 'name one delivery, or those since a time', {
        hint: (invocation) => invocation.onSameResource(args.id, 'webhooks', 'redeliver', '--since', '6h'),
      });
    if (args.delivery !== undefined) return redeliverOne(context, args.delivery);
    return flags.stop ? stop(context) : redeliverSince(context, flags.since!);
  }
}

async function redeliverOne(context: Context<typeof WebhooksRedeliver>, deliveryId: string): Promise<void> {
  const { args, out, signal } = context;
  const { client } = await context.connect();
  const answer = await orAmbiguous(
    `whether ${deliveryId} is sent again`,
    (invocation) => invocation.onSameResource(args.id, 'webhooks', 'deliveries'),
    orUnsupportedOperation(
      `send ${deliveryId} again`,
      (invocation) => `list the deliveries: ${invocation.onSameResource(args.id, 'webhooks', 'deliveries')}`,
      client.call('redeliver', { params: { id: args.id, deliveryId }, signal }),
    ),
  );
  out.result(objectOf(answer.body), () => `queued delivery ${deliveryId}`);
}

async function stop(context: Context<typeof WebhooksRedeliver>): Promise<void> {
  const { args, out, signal } = context;
  const { client } = await context.connect();
  const { body } = await orAmbiguous(
    `whether deliveries of ${args.id} are still being sent again`,
    (invocation) => invocation.onSameResource(args.id, 'webhooks', 'get'),
    client.call('stopRedelivery', { params: { id: args.id }, signal }),
  );
  const view = redeliveryOf(body);
  out.result(objectOf(body), () => (view ? `stopped: ${progressText(view, 0)}` : 'stopped'));
}

async function redeliverSince(context: Context<typeof WebhooksRedeliver>, text: string): Promise<void> {
  const { args, flags, out, world, signal } = context;
  const { clock } = world;
  const events = namesIn(flags.event);
  warnOfUnknownKinds(events ?? [], out);
  const status = flags.status ?? 'failed';
  const which = {
    since: parseSince(text, clock.now()),
    status,
    ...(events && { events }),
    ...(flags.rate !== undefined && { rate: parseRate(flags.rate, '--rate', 10_000) }),
  } as RequestOf<'redeliverMany'>;
  const { client } = await context.connect();
  const params = { id: args.id };
  const send = (body: RequestOf<'redeliverMany'>) =>
    orAmbiguous(
      `whether deliveries of ${args.id} are sent again`,
      (invocation) => invocation.onSameResource(args.id, 'webhooks', 'get'),
      orUnknownKinds(
        events ?? [],
        orUnsupportedOperation(
          `send many deliveries of ${args.id} again`,
          (invocation) => `list them: ${invocation.onSameResource(args.id, 'webhooks', 'deliveries')}`,
          client.call('redeliverMany', { params, body, signal }),
        ),
      ),
    );

  const terminal = world.stderr.isTTY === true && !out.quiet && !out.json;
  const redraw = new Redraw(world.stderr);
  const follow = async () => {
    const ended = await followRedelivery({ client, clock, signal }, args.id, (view) => {
      if (terminal) redraw.draw(progressText(view, clock.now()));
    }).catch((error: unknown) => {
      if (signal.aborted)
        out.notice(
          `the service goes on; to stop it: ${context.invocation.onSameResource(args.id, 'webhooks', 'redeliver', '--stop')}`,
        );
      throw error;
    });
    const view = redeliveryOf(ended);
    out.result({ matched: view?.matched ?? 0, redelivery: objectOf(ended) }, () =>
      view ? progressText(view, clock.now()) : 'ended',
    );
  };

  const { redelivery } = objectOf((await client.call('getWebhook', { params, signal })).body);
  const running = redeliveryOf(redelivery);
  if (running && !running.ended && !flags['dry-run']) {
    out.notice(`deliveries since ${sanitizeLine(running.since)} are already being sent again`);
    return follow();
  }
  const count = async (body: RequestOf<'redeliverMany'>) => {
    const counted = objectOf((await send({ ...body, dryRun: true })).body);
    return { counted, matched: typeof counted.matched === 'number' ? counted.matched : 0 };
  };
  const { counted, matched } = await count(which);
  const removed =
    typeof counted.removedBefore === 'string'
      ? `; those before ${sanitizeLine(counted.removedBefore)} were removed by age`
      : '';
  const words = `${countText(matched, status)} since ${which.since}${removed}`;
  if (flags['dry-run'] || matched === 0) {
    const waiting =
      status === 'failed' ? (await count({ ...which, status: 'undelivered' })).matched - matched : 0;
    const more = `; ${waiting.toLocaleString('en-US')} ${waiting === 1 ? 'waits' : 'wait'} for a retry, which --status undelivered sends at once`;
    return out.result(counted, () => words + (waiting > 0 ? more : ''));
  }
  out.notice(words);
  await send(which);
  return follow();
}
