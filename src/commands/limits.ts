import { type Context, SvcCommand } from '../cli/command/command.ts';
import { EXIT, type ExitCode } from '../cli/errors/exit-codes.ts';
import { fieldsFlag } from '../cli/flags/list-flags.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { documentOf } from '../cli/terminal/listing.ts';
import { Redraw } from '../cli/terminal/redraw.ts';
import { render } from '../cli/terminal/text.ts';
import { limitFields } from '../features/limits/render.ts';

const WATCH_MS = 1000;

export default class Limits extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Show the usage of each rate limit';
  static override description =
    `Prints one row per endpoint group: for the local service from its limiter, for another one from the rate-limit headers
that svc commands have received. Sends no request unless you add --refresh. Dimmed values are older than the window of
60 s and no longer valid.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --watch',
    '<%= config.bin %> <%= command.id %> --refresh --json',
  ];
  static override flags = {
    watch: Flags.boolean({ char: 'w', summary: 'update every second, until Ctrl-C' }),
    refresh: Flags.boolean({ summary: 'first send one read (GET /v1/webhooks, counts as reads)' }),
    fields: fieldsFlag(limitFields({ now: 0, columns: undefined })),
  };

  protected override async run({
    flags,
    out,
    world,
    signal,
    connect,
  }: Context<typeof Limits>): Promise<ExitCode> {
    const { client, limits, service } = await connect();
    const { limitRows, usageRows } = await import('../features/limits/rows.ts');
    if (flags.refresh) {
      const { cheapRead } = await import('../features/limits/refresh.ts');
      if (!(await cheapRead(client, signal)))
        out.warn('this service does not support GET /v1/webhooks; showing the limits from earlier answers');
    }
    const rows = async () => {
      const now = world.clock.now();
      return service ? usageRows((await service.usage()).groups, now) : limitRows(limits.read(), now);
    };
    const listing = async () => ({
      key: 'limits',
      rows: await rows(),
      fields: limitFields({ now: world.clock.now(), columns: out.columns }),
      empty: 'no limits',
    });
    if (!flags.watch) {
      out.list(await listing(), flags.fields);
      return EXIT.done;
    }
    const screen = out.isTerminal && !out.json ? new Redraw(world.stdout) : undefined;
    for (let before = ''; !signal.aborted; ) {
      const list = await listing();
      // A limiter that is asked is always seen just now.
      const now = JSON.stringify(list.rows, (key, value) => (service && key === 'seenAt' ? '' : value));
      if (screen) screen.draw(render(out.rows(list, flags.fields), out.colors(world.stdout)));
      else if (now !== before) out.line(documentOf(list, flags.fields), () => out.rows(list, flags.fields));
      before = now;
      await world.clock.sleep(WATCH_MS, signal).catch(() => undefined);
    }
    return EXIT.interrupted;
  }
}
