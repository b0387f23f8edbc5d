import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { repeatedVersion } from '../../cli/connection/base-path.ts';
import { checkProfileName } from '../../cli/connection/profile-names.ts';
import { checkAddress, checkKey, checkWorkspace } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { askLine, askSecret, canAsk, readStdin } from '../../cli/input/prompt.ts';
import { definedFields } from '../../kit/defined-fields.ts';
import { commandLine, shell } from '../../kit/shell.ts';
import { mask, type Profile, Profiles } from '../../profiles/profiles.ts';

const MAX_KEY_BYTES = 4096;

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Add or change a profile';
  static override description =
    `Reads the API key from standard input or SVC_API_KEY, or prompts for it; a key is never passed in a flag. On a
terminal, svc prompts for all missing values. The first profile becomes the current one. For an existing profile, only
the given values change, and the key is kept; with just its name, svc prompts for a new key.

After saving, svc checks the key with one read (GET /v1/webhooks). The profile is kept whatever the result.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --workspace ws_1 --region eu --base-url https://eu.example.com --api-key-stdin < key.txt',
    '<%= config.bin %> <%= command.id %> test --workspace ws_2 --region eu --base-url https://eu.example.com --sandbox',
    '<%= config.bin %> <%= command.id %> test --region us',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override args = {
    name: Args.string({ description: 'name of the profile; prompted for if missing' }),
  };
  static override flags = {
    'api-key-stdin': Flags.boolean({ summary: 'read the API key from standard input' }),
    sandbox: Flags.boolean({ summary: 'mark the credentials as test credentials in notices', allowNo: true }),
    idempotent: Flags.boolean({
      summary: 'the service supports Idempotency-Key, so every request can be retried',
      allowNo: true,
    }),
    'accept-any-answer': Flags.boolean({
      summary: 'any 2xx of the service acknowledges events and users, also without rate-limit headers',
      allowNo: true,
    }),
    'event-ids': Flags.boolean({
      summary: 'the service takes eventId, also if its answers do not say so',
      allowNo: true,
    }),
    'keys-honoured': Flags.boolean({
      summary: 'former name of --idempotent',
      hidden: true,
      allowNo: true,
      exclusive: ['idempotent'],
    }),
    'no-check': Flags.boolean({ summary: 'do not check the key after saving' }),
  };

  protected override async run(context: Context<typeof ProfilesAdd>): Promise<void> {
    const { flags, out, world, paths } = context;
    const promptOptions = {
      noInput: flags['no-input'],
      instead: () => completeCommand(context.args.name, flags),
    };
    const prompts = canAsk(world, flags['no-input']) && !flags['api-key-stdin'];
    const name = context.args.name ?? (await nameOf());
    checkProfileName(name);
    const given: Partial<Profile> = definedFields({
      workspace: flags.workspace,
      region: flags.region,
      baseUrl: flags['base-url'],
      sandbox: flags.sandbox,
      keysHonoured: flags.idempotent ?? flags['keys-honoured'],
      acceptAnyAnswer: flags['accept-any-answer'],
      eventIds: flags['event-ids'],
    });
    const profiles = new Profiles(paths.configDir);
    const existing = profileOf(profiles.read().profiles, name);
    if (given.baseUrl !== undefined) given.baseUrl = checkAddress(given.baseUrl);
    if (given.workspace !== undefined) checkWorkspace(given.workspace);
    if (prompts) await askFor(missing({ ...existing, ...given }));
    complete({ ...existing, ...given });
    const repetition = given.baseUrl && repeatedVersion(given.baseUrl, { from: 'profile', name });
    if (repetition) out.warn(repetition);
    const apiKey = await readKey();
    if (apiKey !== undefined) {
      checkKey(apiKey);
      given.apiKey = apiKey;
    }
    let isCurrent = false;
    let before: Profile | undefined;
    let saved: Profile | undefined;
    await profiles.change((contents) => {
      before = profileOf(contents.profiles, name);
      saved = contents.profiles[name] = complete({ ...before, ...given });
      contents.current ??= name;
      isCurrent = contents.current === name;
    });
    if (before) out.notice(differences(before, given));
    out.result(
      { name, current: isCurrent },
      () =>
        `${before ? 'changed' : 'added'} profile ${name}${isCurrent ? ', which is in use' : shell`; to use it: svc profiles use ${name}`}`,
    );
    if (saved && !flags['no-check']) {
      const { tryProfile } = await import('../../features/profiles/try-profile.ts');
      await tryProfile(name, saved, context);
    }

    async function nameOf(): Promise<string> {
      if (prompts)
        return askLine(world, 'name of the profile', { ...promptOptions, check: checkProfileName });
      throw new SvcError('usage', 'NAME is missing: name of the profile', { hint: promptOptions.instead });
    }

    /** Prompts for missing required fields, and for the region of a new profile. */
    async function askFor(fields: readonly ('workspace' | 'baseUrl')[]): Promise<void> {
      if (fields.includes('baseUrl'))
        given.baseUrl = checkAddress(
          await askLine(world, 'base URL', { ...promptOptions, check: checkAddress }),
        );
      if (fields.includes('workspace'))
        given.workspace = await askLine(world, 'workspace', { ...promptOptions, check: checkWorkspace });
      if (fields.length > 0 && given.region === undefined && existing === undefined) {
        const region = await askLine(world, 'region (Enter for none)', promptOptions);
        if (region !== '') given.region = region;
      }
    }

    /** Undefined if the profile keeps its key. */
    async function readKey(): Promise<string | undefined> {
      if (flags['api-key-stdin']) return (await readStdin(world, MAX_KEY_BYTES)).trim();
      if (world.env.SVC_API_KEY) return world.env.SVC_API_KEY;
      if (existing?.apiKey !== undefined && Object.keys(given).length > 0) return undefined;
      return askSecret(world, 'API key', {
        noInput: flags['no-input'],
        instead: (invocation) => `read it from a file: ${invocation.rerunWith('--api-key-stdin')} < key.txt`,
        check: (key) => checkKey(key),
      });
    }

    function complete(profile: Partial<Profile>): Profile {
      const { workspace, baseUrl } = profile;
      if (workspace !== undefined && baseUrl !== undefined) return { ...profile, workspace, baseUrl };
      const flagsMissing = missing(profile).map((field) => FLAG_OF[field]);
      throw new SvcError(
        'usage',
        `${flagsMissing.join(' and ')} ${flagsMissing.length > 1 ? 'are' : 'is'} missing`,
        { hint: completeCommand(name, flags) },
      );
    }
  }
}

const FLAG_OF = { workspace: '--workspace', baseUrl: '--base-url' } as const;

const missing = (profile: Partial<Profile>): (keyof typeof FLAG_OF)[] =>
  (['workspace', 'baseUrl'] as const).filter((field) => profile[field] === undefined);

/** A command line that needs no prompt, with the given values filled in. */
function completeCommand(
  name: string | undefined,
  flags: { workspace?: string | undefined; region?: string | undefined; 'base-url'?: string | undefined },
): string {
  const words = [
    ...['svc', 'profiles', 'add', name ?? 'NAME', '--workspace', flags.workspace ?? 'W'],
    ...['--region', flags.region ?? 'R', '--base-url', flags['base-url'] ?? 'https://HOST'],
  ];
  return `${commandLine(words)} --api-key-stdin < key.txt`;
}

const profileOf = (profiles: Readonly<Record<string, Profile>>, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** Describes which fields of an existing profile changed, with a masked key. */
function differences(before: Profile, given: Partial<Profile>): string {
  const fields: [keyof Profile, string][] = [
    ['workspace', 'workspace'],
    ['region', 'region'],
    ['baseUrl', 'base URL'],
    ['apiKey', 'key'],
    ['sandbox', '--sandbox'],
    ['keysHonoured', '--idempotent'],
    ['acceptAnyAnswer', '--accept-any-answer'],
    ['eventIds', '--event-ids'],
  ];
  const format = (field: keyof Profile, value: string | boolean | undefined) =>
    typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : value && field === 'apiKey'
        ? mask(value)
        : (value ?? 'none');
  const changed = fields.filter(([field]) => field in given && given[field] !== before[field]);
  const kept = fields.filter((one) => !changed.includes(one) && before[one[0]] !== undefined);
  const list = (words: string[]) => words.join(', ') || 'nothing';
  return [
    `changed: ${list(changed.map(([field, name]) => `${name} ${format(field, before[field])} to ${format(field, given[field])}`))}`,
    `kept: ${list(kept.map(([field, name]) => `${name} ${format(field, before[field])}`))}`,
  ].join('; ');
}
