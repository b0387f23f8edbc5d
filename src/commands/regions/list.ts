import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { withSpinner } from '../../cli/terminal/spinner.ts';
import { red, type Text } from '../../cli/terminal/text.ts';
import type { Ping } from '../../features/regions/ping.ts';
import { type Region, regionsOf } from '../../features/regions/regions.ts';
import { commandLine } from '../../kit/shell.ts';
import { Profiles } from '../../profiles/profiles.ts';

type Row = Region & Partial<Ping>;

/** The measured ones are shown with --ping. */
const FIELDS: readonly Field<Row>[] = [
  { field: 'region', title: 'REGION', whole: true, cell: ({ region }) => region ?? '-' },
  { field: 'answered', title: 'ANSWERED', extra: true, cell: answered },
  { field: 'baseUrl', title: 'BASE URL', whole: true },
  { field: 'profiles', title: 'PROFILES' },
  { field: 'latencyMs', title: 'LATENCY', align: 'right', extra: true, cell: latency },
];

export default class RegionsList extends SvcCommand {
  static override summary = 'List the regions and addresses of all profiles';
  static override description =
    `Lists the regions that your profiles name; the service does not publish a list. --ping shows the region that each
address answers from and its latency. It sends no key, so it does not count against a rate limit.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --ping',
  ];
  static override flags = {
    ping: Flags.boolean({
      summary: 'measure the latency of each address and show the region it answers from',
    }),
    fields: fieldsFlag(FIELDS),
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
    const fields = flags.ping ? FIELDS.map((field) => ({ ...field, extra: false })) : FIELDS;
    out.list(
      {
        key: 'regions',
        rows: measured,
        fields,
        empty: 'no profiles; add one: svc profiles add NAME --workspace W --region R --base-url U',
      },
      flags.fields,
    );
    for (const { baseUrl, profiles, ...row } of measured.filter(mismatched))
      out.warn(
        `${baseUrl} answers from ${row.answered}, not from ${row.region}: ${commandLine(['svc', 'doctor', '--profile', profiles[0]!])}`,
      );
    const unanswered = measured.find((row) => row.latencyMs === null);
    if (unanswered)
      throw new SvcError('unreachable', unanswered.error ?? `${unanswered.baseUrl} did not answer`, {
        hint: `for details: ${commandLine(['svc', 'doctor', '--profile', unanswered.profiles[0]!])}`,
      });

    async function measure(baseUrl: string): Promise<Partial<Ping>> {
      if (!flags.ping) return {};
      const { ping } = await import('../../features/regions/ping.ts');
      return ping(baseUrl, signal);
    }
  }
}

/** True if the address answers from a region other than that of its profiles. */
function mismatched({ region, answered }: { region: string | null; answered?: string | null }): boolean {
  return region !== null && typeof answered === 'string' && answered !== region;
}

function answered(row: { region: string | null; answered?: string | null }): Text {
  return mismatched(row) ? red(`${row.answered} (mismatch)`) : (row.answered ?? '-');
}

function latency({ latencyMs, error }: Partial<Ping>): Text {
  return error ? red('no answer') : `${latencyMs} ms`;
}
