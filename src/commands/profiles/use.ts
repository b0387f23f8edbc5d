import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { noticeEnvironment } from '../../cli/connection/environment-override.ts';
import { existingProfile } from '../../cli/connection/profile-names.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { LOCAL, Profiles } from '../../profiles/profiles.ts';

export default class ProfilesUse extends SvcCommand {
  static override summary = 'Select the profile that commands use';
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod',
    '<%= config.bin %> <%= command.id %> local',
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) };

  protected override async run({
    args: { name },
    out,
    paths,
    world,
  }: Context<typeof ProfilesUse>): Promise<void> {
    await new Profiles(paths.configDir).change((contents) => {
      if (name !== LOCAL) existingProfile(contents.profiles, name);
      contents.current = name;
    });
    noticeEnvironment(out, world);
    out.result({ current: name }, () => `using profile ${name}`);
  }
}
