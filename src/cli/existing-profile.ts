import { LOCAL, type Profile } from '../profiles/profiles.ts';
import { SvcError } from './errors.ts';

/** The profile of a name, for commands that change one. Throws usage for `local` and for one that is not there. */
export function existingProfile(profiles: Readonly<Record<string, Profile>>, name: string): Profile {
  if (name === LOCAL)
    throw new SvcError('usage', 'the profile local is built in', {
      hint: 'name a profile of `svc profiles list`',
    });
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile)
    throw new SvcError('usage', `there is no profile ${name}`, { hint: 'see `svc profiles list`' });
  return profile;
}
