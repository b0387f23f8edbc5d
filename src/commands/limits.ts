import { type Context, SvcCommand } from '../cli/command/command.ts';
import { EXIT, type ExitCode } from '../cli/errors/exit-codes.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { Redraw } from '../cli/terminal/redraw.ts';
import { render } from '../cli/terminal/text.ts';

const WATCH_MS = 1000;

export default class Limits extends SvcCommand {
  static override summary = 'Show how much of each rate limit is used';
  static override description =
    `A row for each endpoint group, from the rate-limit headers of the answers that any svc command has seen. Nothing
is sent unless --refresh asks for it. Faded values are older than the window of 60 s: none of it counts any more.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --watch',
    '<%= config.bin %> <%= command.id %> --refresh --json',
  ];
  static override flags = {
    watch: Flags.boolean({ char: 'w', summary: 'show it again each second, until Ctrl-C' }),
    refresh: Flags.boolean({ summary: 'send one cheap read first (GET /v1/webhooks, counted under reads)' }),
  };

  protected override async run({
    flags,
    out,
    world,
    signal,
    connect,
  }: Context<typeof Limits>): Promise<ExitCode> {
    const { client, limits, limitsInForce } = await connect();
    const { limitRows } = await import('../features/limits/rows.ts');
    const { limitsTable } = await import('../features/limits/render.ts');
    if (flags.refresh) {
      const { cheapRead } = await import('../features/limits/refresh.ts');
      if (!(await cheapRead(client, signal)))
        out.warn('this service has no GET /v1/webhooks to ask; shown is what earlier answers said');
    }
    const rows = () => limitRows(limits.read(), world.clock.now(), limitsInForce);
    const show = () =>
      limitsTable(rows(), out, world.clock.now(), out.isTerminal ? world.stdout.columns : undefined);
    if (!flags.watch) {
      out.result({ limits: rows() }, show);
      return EXIT.done;
    }
    const screen = out.isTerminal && !out.json ? new Redraw(world.stdout) : undefined;
    for (let before = ''; !signal.aborted; ) {
      const now = JSON.stringify(rows());
      if (screen) screen.draw(render(show(), out.colors(world.stdout)));
      else if (now !== before) out.line({ limits: rows() }, show);
      before = now;
      await world.clock.sleep(WATCH_MS, signal).catch(() => undefined);
    }
    return EXIT.interrupted;
  }
}
