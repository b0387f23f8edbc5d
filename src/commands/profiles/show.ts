import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { noticeEnvironment } from '../../cli/connection/environment-override.ts';
import { existingProfile } from '../../cli/connection/profile-names.ts';
import { namedProfile } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { LOCAL, Profiles, profileView } from '../../profiles/profiles.ts';

export default class ProfilesShow extends SvcCommand {
  static override summary = 'Show a profile with its key masked';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> prod --json',
  ];
  static override exitCodes = [0, 1, 2, 4] as const;
  static override args = {
    name: Args.string({ description: 'name of the profile (default: the one in use)' }),
  };

  protected override async run({
    args,
    flags,
    out,
    paths,
    world,
  }: Context<typeof ProfilesShow>): Promise<void> {
    const store = new Profiles(paths.configDir);
    const { current, profiles } = store.read();
    const name = args.name ?? namedProfile(flags, world)?.profile ?? current;
    if (name === undefined) {
      throw new SvcError('not_configured', 'no profile is in use', {
        hint: 'list the profiles with `svc profiles list`, then: svc profiles use NAME',
      });
    }
    const fields =
      name === LOCAL
        ? { name, database: paths.database, keysHonoured: true, acceptAnyAnswer: false, eventIds: true }
        : profileView(name, existingProfile(profiles, name));
    if (args.name === undefined) noticeEnvironment(out, world);
    out.result({ ...fields, current: name === current }, () =>
      out.table(
        [{ title: 'FIELD' }, { title: 'VALUE' }],
        [
          ...Object.entries(fields).map(([field, value]) => [field, String(value ?? '')]),
          ['file', store.file],
        ],
      ),
    );
  }
}
