import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { withSpinner } from '../../cli/terminal/spinner.ts';
import { red, type Text } from '../../cli/terminal/text.ts';
import type { Ping } from '../../features/regions/ping.ts';
import { regionsOf } from '../../features/regions/regions.ts';
import { commandLine } from '../../kit/shell.ts';
import { Profiles } from '../../profiles/profiles.ts';

export default class RegionsList extends SvcCommand {
  static override summary = 'List the regions of all profiles and their addresses';
  static override description =
    `The service publishes no list of regions: these are the ones that your profiles name. --ping shows which region each
address answers from and how long it takes, without a key, so it counts against no limit.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --ping',
  ];
  static override flags = {
    ping: Flags.boolean({ summary: 'ask each address where it answers from, and how fast' }),
  };

  protected override async run({
    flags,
    out,
    paths,
    signal,
    world,
  }: Context<typeof RegionsList>): Promise<void> {
    const regions = regionsOf(new Profiles(paths.configDir).read().profiles);
    const measureAll = () =>
      Promise.all(regions.map(async (region) => ({ ...region, ...(await measure(region.baseUrl)) })));
    const measured = flags.ping ? await withSpinner(world, out, 'measuring', measureAll) : await measureAll();
    out.result({ regions: measured }, () =>
      measured.length === 0
        ? 'no profile names a region yet: svc profiles add NAME --workspace W --region R --base-url U'
        : out.table(
            [
              { title: 'REGION', whole: true },
              ...(flags.ping ? [{ title: 'ANSWERED' }] : []),
              { title: 'BASE URL', whole: true },
              { title: 'PROFILES' },
              ...(flags.ping ? [{ title: 'LATENCY', align: 'right' as const }] : []),
            ],
            measured.map((row) => [
              row.region ?? '-',
              ...(row.answered === undefined ? [] : [answered(row)]),
              row.baseUrl,
              row.profiles.join(', '),
              ...(row.latencyMs === undefined ? [] : [latency(row)]),
            ]),
          ),
    );
    for (const { baseUrl, profiles, ...row } of measured.filter(mismatched))
      out.warn(
        `${baseUrl} answers from ${row.answered}, not from ${row.region}: ${commandLine(['svc', 'doctor', '--profile', profiles[0]!])}`,
      );
    const silent = measured.find((row) => row.latencyMs === null);
    if (silent)
      throw new SvcError('unreachable', silent.error ?? `${silent.baseUrl} did not answer`, {
        hint: `diagnose it: ${commandLine(['svc', 'doctor', '--profile', silent.profiles[0]!])}`,
      });

    async function measure(baseUrl: string): Promise<Partial<Ping>> {
      if (!flags.ping) return {};
      const { ping } = await import('../../features/regions/ping.ts');
      return ping(baseUrl, signal);
    }
  }
}

/** The address says that it answers from another region than the profiles expect. */
function mismatched({ region, answered }: { region: string | null; answered?: string | null }): boolean {
  return region !== null && typeof answered === 'string' && answered !== region;
}

function answered(row: { region: string | null; answered?: string | null }): Text {
  return mismatched(row) ? red(`${row.answered} (mismatch)`) : (row.answered ?? '-');
}

function latency({ latencyMs, error }: Partial<Ping>): Text {
  return error ? red('no answer') : `${latencyMs} ms`;
}
