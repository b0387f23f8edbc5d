import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { asUsageError } from '../../cli/errors/usage-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { assertStdinUsedOnce, inputBytes } from '../../cli/input/input-bytes.ts';
import { EVENT_KINDS } from '../../contract/event-kind-names.ts';
import { Deliverer } from '../../features/listen/deliverer.ts';
import { FieldError, makeBody, parseFields, sendSigned } from '../../features/listen/signed-delivery.ts';
import { handlerFailure, parseHandlerUrl } from '../../features/webhooks/handler.ts';
import { requireSecret, secretFlags } from '../../features/webhooks/known-secrets.ts';
import { newId } from '../../kit/id.ts';

export default class WebhooksSend extends SvcCommand {
  static override summary = 'Send a signed test delivery to a handler';
  static override description =
    `Builds and signs the delivery as the service does, without calling the service. Exit 0 for a 2xx, 6 for a 5xx or no
answer, 5 for any other answer.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> campaign.clicked --to http://localhost:3000/webhooks',
    '<%= config.bin %> <%= command.id %> decision.actioned --to 3000 --set contentId=summer-sale --set amount:=12.50',
    '<%= config.bin %> <%= command.id %> campaign.opened --to 3000 --input body.json',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 130] as const;
  static override args = {
    kind: Args.string({ required: true, description: 'kind of event, as of webhooks create' }),
  };
  static override flags = {
    ...secretFlags,
    to: Flags.string({ summary: 'URL of the handler', required: true, helpValue: 'URL' }),
    set: Flags.string({
      summary: 'set a field of the body: field=text, or field:=JSON',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FIELD=VALUE',
    }),
    input: Flags.string({
      summary: 'send the bytes of this file as the body, unchanged (- reads standard input)',
      helpValue: 'FILE',
      exclusive: ['set'],
    }),
  };

  protected override async run({
    args: { kind },
    flags,
    out,
    world,
    paths,
    signal,
  }: Context<typeof WebhooksSend>): Promise<void> {
    const to = parseHandlerUrl(flags.to);
    if (!(EVENT_KINDS as readonly string[]).includes(kind)) {
      out.warn(`unknown event kind: ${kind} (known kinds: ${EVENT_KINDS.join(', ')})`);
    }
    if (flags.input !== undefined) assertStdinUsedOnce(flags.input, flags);
    const now = world.clock.now();
    const deliveryId = newId('dlv');
    const body =
      flags.input === undefined
        ? makeBody({ kind, fields: fieldsOf(flags.set ?? []), deliveryId, now })
        : await inputBytes(flags.input, world);
    const secret = await requireSecret(flags, world, paths);
    const deliverer = new Deliverer();
    try {
      const deadlineMs = flags.timeout * 1000;
      const result = await sendSigned({ to, body, secret, deliveryId, now, deliverer, deadlineMs, signal });
      const failure = signal.aborted ? interrupted() : handlerFailure(result, to, flags);
      if (result.status !== null) {
        const text = result.body.toString('utf8');
        const { status, durationMs } = result;
        out.result({ deliveryId, kind, url: to.href, status, durationMs, body: text }, () => [
          `${to.href} answered ${status} in ${durationMs} ms`,
          text === '' ? '' : `\n${text}`,
        ]);
      }
      if (failure) throw failure;
    } finally {
      deliverer.close();
    }
  }
}

function fieldsOf(pairs: readonly string[]): Record<string, unknown> {
  return asUsageError(FieldError, 'for example --set contentId=summer-sale', () => parseFields(pairs));
}

function interrupted(): SvcError {
  return new SvcError('interrupted', 'interrupted before the handler answered', {
    hint: (invocation) => invocation.rerunWith(),
  });
}
