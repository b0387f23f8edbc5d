import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { noticeEnvironment } from '../../cli/connection/environment-override.ts';
import { green } from '../../cli/terminal/text.ts';
import { LOCAL, Profiles, profileView } from '../../profiles/profiles.ts';

export default class ProfilesList extends SvcCommand {
  static override summary = 'List profiles';
  static override description =
    'Masks the keys. The profile `local`, which is the service on this machine, always exists.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2] as const;

  protected override async run({ out, paths, world }: Context): Promise<void> {
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
    };
    const all = [...named, local];
    noticeEnvironment(out, world);
    out.result({ profiles: all }, () =>
      out.table(
        [
          { title: 'NAME', whole: true },
          { title: 'WORKSPACE' },
          { title: 'REGION' },
          { title: 'BASE URL' },
          { title: 'KEY' },
        ],
        all.map((profile) => [
          profile.current ? green(`${profile.name} *`) : profile.name,
          profile.workspace ?? '',
          profile.region ?? '',
          profile.baseUrl ?? 'in this process',
          profile.apiKey ?? '',
        ]),
      ),
    );
  }
}
