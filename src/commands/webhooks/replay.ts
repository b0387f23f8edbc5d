import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { assertStdinUsedOnce } from '../../cli/input/input-bytes.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { green, red } from '../../cli/terminal/text.ts';
import { Deliverer } from '../../features/listen/deliverer.ts';
import { NotARecording } from '../../features/listen/recording.ts';
import { readRecording } from '../../features/listen/recording-reader.ts';
import { type Replayed, replay } from '../../features/listen/replay.ts';
import { handlerFailure, parseHandlerUrl } from '../../features/webhooks/handler.ts';
import { requireSecret, secretFlags } from '../../features/webhooks/known-secrets.ts';

export default class WebhooksReplay extends SvcCommand {
  static override summary = 'Send recorded deliveries again';
  static override description =
    `Sends the deliveries that \`webhooks listen --record\` wrote: the same bytes in the same order, with the same pauses.
Without --re-sign, the recorded signatures are sent. Exit 0 if the handler accepts all, 7 if some, 5 or 6 if none.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> deliveries.ndjson --to http://localhost:3000/webhooks',
    '<%= config.bin %> <%= command.id %> deliveries.ndjson --to 3000 --speed 10 --re-sign --secret-file secret.txt',
    '<%= config.bin %> <%= command.id %> - --to 3000 --speed max < deliveries.ndjson',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override args = {
    file: Args.string({ required: true, description: 'recording; - reads standard input' }),
  };
  static override flags = {
    ...secretFlags,
    to: Flags.string({ summary: 'URL of the handler', required: true, helpValue: 'URL' }),
    speed: Flags.string({
      summary: 'multiple of the recorded speed, or max for no pauses',
      default: '1',
      helpValue: 'N|max',
    }),
    're-sign': Flags.boolean({ summary: 'sign again, with the current time and the selected secret' }),
  };

  protected override async run({
    args,
    flags,
    out,
    world,
    paths,
    signal,
  }: Context<typeof WebhooksReplay>): Promise<void> {
    const to = parseHandlerUrl(flags.to);
    const speed = parseSpeed(flags.speed);
    assertStdinUsedOnce(args.file, flags);
    const secret = flags['re-sign'] ? await requireSecret(flags, world, paths) : undefined;
    const counts = { read: 0, sent: 0, accepted: 0, unreadable: 0 };
    const recording = readRecording(args.file, world, signal, (line, why) => {
      counts.unreadable++;
      out.warn(`${args.file}:${line} ${why}; skipped`);
    });
    const deliverer = new Deliverer();
    let worst: SvcError | undefined;
    try {
      const options = { to, speed, clock: world.clock, deliverer, signal };
      const results = replay(recording, secret === undefined ? options : { ...options, reSign: secret });
      for await (const replayed of results) {
        if (signal.aborted) break;
        counts.sent++;
        const failure = handlerFailure(replayed.result, to, flags);
        if (failure) worst = failure;
        else counts.accepted++;
        show(replayed, out);
      }
    } catch (error) {
      throw error instanceof NotARecording ? noDeliveries(error.message) : error;
    } finally {
      deliverer.close();
    }
    if (signal.aborted) {
      throw new SvcError('interrupted', `interrupted after ${counts.sent} deliveries`, {
        hint: (invocation) => invocation.rerunWith(),
      });
    }
    out.notice(`${counts.sent} sent, ${counts.accepted} accepted by ${to.href}`);
    finish(counts, worst, args.file);
  }
}

function finish(
  { sent, accepted, unreadable }: { sent: number; accepted: number; unreadable: number },
  worst: SvcError | undefined,
  file: string,
): void {
  if (sent === 0) throw noDeliveries(`${file} has no recorded deliveries`);
  if (worst && accepted === 0) throw worst;
  if (worst || unreadable > 0) {
    const refused = sent - accepted;
    throw new SvcError(
      'partial',
      [
        ...(refused > 0 ? [`${refused} of ${sent} deliveries were not accepted`] : []),
        ...(unreadable > 0 ? [`${unreadable} lines could not be read`] : []),
      ].join(', '),
      {
        hint: (invocation) =>
          worst?.hintFor(invocation) ?? `correct the lines reported above, then: ${invocation.rerunWith()}`,
      },
    );
  }
}

function noDeliveries(message: string): SvcError {
  return new SvcError('file', message, {
    hint: (invocation) =>
      `record deliveries: ${invocation.onSameService('webhooks', 'listen', '--record', 'deliveries.ndjson')}`,
  });
}

function show({ recorded, result }: Replayed, out: Output): void {
  const receivedAt = new Date(recorded.receivedAt).toISOString();
  const { status, durationMs } = result;
  const error = result.status === null ? { error: result.error } : {};
  const ok = status !== null && status >= 200 && status < 300;
  out.line({ receivedAt, kind: recorded.kind ?? null, status, durationMs, ...error }, () => [
    ok ? green('✓') : red('✗'),
    `  ${receivedAt}  ${recorded.kind ?? `${recorded.body.length} bytes`}  `,
    result.status === null ? result.error : `${status} in ${durationMs} ms`,
  ]);
}

function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY;
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed > 0)) {
    throw new SvcError('usage', `--speed must be a number above 0 or max, not ${text}`, {
      hint: 'for example --speed 10',
    });
  }
  return speed;
}
