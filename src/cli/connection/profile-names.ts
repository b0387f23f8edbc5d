import { LOCAL, type Profile } from '../../profiles/profiles.ts';
import { SvcError } from '../errors/svc-error.ts';

/** Returns a profile to be changed. Throws usage for `local` and for an unknown name. */
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

/** Checks the name of a new profile. Throws usage. */
export function checkProfileName(name: string): void {
  if (name === LOCAL) {
    throw new SvcError('usage', 'the profile local always exists and cannot be changed', {
      hint: 'choose another name',
    });
  }
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new SvcError('usage', `${JSON.stringify(name)} is not a valid profile name`, {
      hint: 'use up to 64 letters, digits, dots, dashes and underscores',
    });
  }
}
