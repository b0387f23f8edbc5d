import { commandLine, shellWord } from '../../kit/shell.ts';

/** Where a setting came from. `name` is what a user would call it: `--region`, `SVC_REGION`, a profile's name. */
export interface Origin {
  readonly from: 'flag' | 'environment' | 'profile';
  readonly name: string;
}

/** An origin in words: `profile prod`, `SVC_REGION`, `--region`. */
export function describeOrigin({ from, name }: Origin): string {
  return from === 'profile' ? `profile ${name}` : name;
}

/** How to give another key; a key never stands in a command line. */
export function giveKey(profile: string | undefined): string {
  // Without a pipe `profiles add` asks for it and leaves the rest of the profile as it is.
  return profile === undefined
    ? 'read -rs SVC_API_KEY && export SVC_API_KEY'
    : commandLine(['svc', 'profiles', 'add', profile]);
}

/** How to give a setting another value where it came from. */
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
