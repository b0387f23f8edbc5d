import { commandLine, shellWord } from '../../kit/shell.ts';

/** The source of a setting. `name` is a flag, a variable or a profile: `--region`, `SVC_REGION`, `prod`. */
export interface Origin {
  readonly from: 'flag' | 'environment' | 'profile';
  readonly name: string;
}

/** Describes an origin: `profile prod`, `SVC_REGION`, `--region`. */
export function describeOrigin({ from, name }: Origin): string {
  return from === 'profile' ? `profile ${name}` : name;
}

/** Returns the command that provides another key; a key is never an argument. */
export function giveKey(profile: string | undefined): string {
  // `profiles add` prompts for the key and keeps the rest of the profile.
  return profile === undefined
    ? 'read -rs SVC_API_KEY && export SVC_API_KEY'
    : commandLine(['svc', 'profiles', 'add', profile]);
}

/** Returns the command that changes a setting in its source. */
export function giveSetting(
  setting: 'region' | 'base-url' | 'workspace',
  value: string,
  { from, name }: Origin,
): string {
  switch (from) {
    case 'flag':
      return `${name} ${shellWord(value)}`;
    case 'environment':
      return `export ${name}=${shellWord(value)}`;
    case 'profile':
      return commandLine(['svc', 'profiles', 'add', name, `--${setting}`, value]);
  }
}
