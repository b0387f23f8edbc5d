import { Flags } from './oclif.ts';

/** The flags of every command. */
export const globalFlags = {
  profile: Flags.string({
    char: 'p',
    helpGroup: 'GLOBAL',
    summary: 'profile to use; `local` is the service on this machine',
    helpValue: 'NAME',
  }),
  'base-url': Flags.string({ helpGroup: 'GLOBAL', summary: 'base URL of the service', helpValue: 'URL' }),
  workspace: Flags.string({ helpGroup: 'GLOBAL', summary: 'workspace to use', helpValue: 'ID' }),
  region: Flags.string({
    helpGroup: 'GLOBAL',
    summary: 'region the base URL is expected to serve',
    helpValue: 'NAME',
  }),
  json: Flags.boolean({
    helpGroup: 'GLOBAL',
    summary: 'print JSON on stdout (NDJSON where the command streams)',
  }),
  quiet: Flags.boolean({ char: 'q', helpGroup: 'GLOBAL', summary: 'print nothing but errors on stderr' }),
  'no-input': Flags.boolean({ helpGroup: 'GLOBAL', summary: 'never prompt; fail where input is required' }),
  timeout: Flags.integer({
    helpGroup: 'GLOBAL',
    summary: 'timeout of a request, in seconds',
    default: 30,
    min: 1,
    max: 3600,
    helpValue: 'SECONDS',
  }),
  'max-retries': Flags.integer({
    helpGroup: 'GLOBAL',
    summary: 'maximum number of retries of a request',
    default: 5,
    min: 0,
    max: 100,
    helpValue: 'N',
  }),
  'show-limits': Flags.boolean({
    helpGroup: 'GLOBAL',
    summary: 'print the rate-limit headers of each response on stderr',
  }),
  debug: Flags.boolean({
    helpGroup: 'GLOBAL',
    summary: 'print requests and responses on stderr, with secrets masked',
  }),
};

export interface GlobalFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly workspace?: string | undefined;
  readonly region?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly 'no-input': boolean;
  readonly timeout: number;
  readonly 'max-retries': number;
  readonly 'show-limits': boolean;
  readonly debug: boolean;
}
