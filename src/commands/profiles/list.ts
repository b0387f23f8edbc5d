import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { noticeEnvironment } from '../../cli/connection/environment-override.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { green } from '../../cli/terminal/text.ts';
import { LOCAL, Profiles, profileView } from '../../profiles/profiles.ts';

interface Row {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string | null;
}

const FIELDS: readonly Field<Row>[] = [
  {
    field: 'name',
    title: 'NAME',
    whole: true,
    cell: ({ name, current }) => (current ? green(`${name} *`) : name),
  },
  { field: 'workspace', title: 'WORKSPACE', whole: true },
  { field: 'region', title: 'REGION' },
  { field: 'baseUrl', title: 'BASE URL', whole: true, cell: ({ baseUrl }) => baseUrl ?? 'in this process' },
  { field: 'apiKey', title: 'KEY', whole: true },
  { field: 'current', title: 'IN USE', extra: true },
  { field: 'sandbox', title: 'SANDBOX', extra: true },
  { field: 'keysHonoured', title: 'IDEMPOTENT', extra: true },
  { field: 'acceptAnyAnswer', title: 'ANY ANSWER', extra: true },
  { field: 'eventIds', title: 'EVENT IDS', extra: true },
];

export default class ProfilesList extends SvcCommand {
  static override summary = 'List profiles';
  static override description =
    'Masks the keys. The profile `local`, which is the service on this machine, always exists.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2] as const;

  static override flags = { fields: fieldsFlag(FIELDS) };

  protected override async run({ flags, out, paths, world }: Context<typeof ProfilesList>): Promise<void> {
    const { current, profiles } = new Profiles(paths.configDir).read();
    const named = Object.entries(profiles).map(([name, profile]) => ({
      ...profileView(name, profile),
      current: name === current,
    }));
    const local = {
      name: LOCAL,
      current: current === LOCAL,
      workspace: null,
      region: null,
      baseUrl: null,
      apiKey: null,
      sandbox: false,
      keysHonoured: true,
      acceptAnyAnswer: false,
      eventIds: true,
    };
    const all = [...named, local];
    noticeEnvironment(out, world);
    out.list({ key: 'profiles', rows: all, fields: FIELDS, empty: 'no profiles' }, flags.fields);
  }
}
