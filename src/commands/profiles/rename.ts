import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { checkProfileName, existingProfile } from '../../cli/connection/profile-names.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { commandLine } from '../../kit/shell.ts';
import { Profiles } from '../../profiles/profiles.ts';

export default class ProfilesRename extends SvcCommand {
  static override summary = 'Rename a profile';
  static override examples = ['<%= config.bin %> <%= command.id %> test staging'];
  static override exitCodes = [0, 1, 2] as const;
  static override args = {
    name: Args.string({ required: true, description: 'name of the profile' }),
    to: Args.string({ required: true, description: 'new name' }),
  };

  protected override async run({
    args: { name, to },
    out,
    paths,
  }: Context<typeof ProfilesRename>): Promise<void> {
    checkProfileName(to);
    await new Profiles(paths.configDir).change((contents) => {
      const profile = existingProfile(contents.profiles, name);
      if (Object.hasOwn(contents.profiles, to)) {
        throw new SvcError('usage', `profile ${to} already exists`, {
          hint: `choose another name, or remove it: ${commandLine(['svc', 'profiles', 'remove', to])}`,
        });
      }
      contents.profiles[to] = profile;
      delete contents.profiles[name];
      if (contents.current === name) contents.current = to;
    });
    out.result({ name: to, was: name }, () => `renamed profile ${name} to ${to}`);
  }
}
