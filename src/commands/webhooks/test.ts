import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { conformance, HandlerUnreachable, type Row } from '../../features/listen/conformance/run.ts';
import { conformanceText } from '../../features/listen/conformance/view.ts';
import { Deliverer } from '../../features/listen/deliverer.ts';
import { parseHandlerUrl, unreachable } from '../../features/webhooks/handler.ts';
import { requireSecret, secretFlags } from '../../features/webhooks/known-secrets.ts';
import { newId } from '../../kit/id.ts';

export default class WebhooksTest extends SvcCommand {
  static override summary = 'Test a handler with valid and invalid deliveries';
  static override description =
    `Sends deliveries that are valid, formatted differently, tampered with, signed with another secret, unsigned, malformed,
repeated, out of order, of every kind and an unknown one, large, and slow, and prints a row for each. If the handler computes the
signature incorrectly, names the mistake. Exit 5 if a row fails.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> http://localhost:3000/webhooks',
    '<%= config.bin %> <%= command.id %> 3000/webhooks --secret-file secret.txt --json',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 130] as const;
  static override args = { url: Args.string({ required: true, description: 'URL of the handler' }) };
  static override flags = secretFlags;

  protected override async run({
    args,
    flags,
    out,
    world,
    paths,
    signal,
  }: Context<typeof WebhooksTest>): Promise<void> {
    const url = parseHandlerUrl(args.url);
    const secret = await requireSecret(flags, world, paths);
    const deliverer = new Deliverer();
    const rows: Row[] = [];
    try {
      const newDelivery = () => newId('dlv');
      const run = conformance({ url, secret, deliverer, now: world.clock.now, newId: newDelivery, signal });
      for await (const row of run) rows.push(row);
    } catch (error) {
      throw error instanceof HandlerUnreachable ? unreachable(url, error.message) : error;
    } finally {
      deliverer.close();
    }
    const failed = rows.filter(({ passed }) => !passed).length;
    out.result({ url: url.href, passed: rows.length - failed, failed, rows }, () =>
      conformanceText(rows, out, out.isTerminal ? world.stdout.columns : undefined),
    );
    if (signal.aborted) {
      throw new SvcError('interrupted', 'interrupted before all deliveries were sent', {
        hint: (invocation) => invocation.rerunWith(),
      });
    }
    if (failed > 0) {
      throw new SvcError('failed', `${failed} of ${rows.length} rows failed`, {
        hint: (invocation) => `fix the handler, then: ${invocation.rerunWith()}`,
      });
    }
  }
}
