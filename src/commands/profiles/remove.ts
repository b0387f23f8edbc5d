import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { existingProfile } from '../../cli/connection/profile-names.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { Profiles } from '../../profiles/profiles.ts';

export default class ProfilesRemove extends SvcCommand {
  static override summary = 'Remove a profile and its key from this machine';
  static override examples = ['<%= config.bin %> <%= command.id %> staging'];
  static override exitCodes = [0, 1, 2] as const;
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) };

  protected override async run({
    args: { name },
    out,
    paths,
  }: Context<typeof ProfilesRemove>): Promise<void> {
    await new Profiles(paths.configDir).change((contents) => {
      existingProfile(contents.profiles, name);
      delete contents.profiles[name];
      if (contents.current === name) delete contents.current;
    });
    out.result({ removed: name }, () => `removed profile ${name}`);
  }
}
