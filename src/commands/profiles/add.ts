import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { repeatedVersion } from '../../cli/connection/base-path.ts';
import { checkProfileName } from '../../cli/connection/profile-names.ts';
import { checkAddress, checkKey, checkWorkspace } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { askLine, askSecret, canAsk, readStdin } from '../../cli/input/prompt.ts';
import { commandLine, shell } from '../../kit/shell.ts';
import { mask, type Profile, Profiles } from '../../profiles/profiles.ts';

const MOST_KEY_BYTES = 4096;

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Add or change a profile';
  static override description =
    `The API key is read from standard input, from SVC_API_KEY, or asked for; it is never a flag. On a terminal everything
else that is missing is asked for, too. The first profile added is the one in use. Of a profile that is there already, what
is not given stays as it is, the key too; with nothing but its name, it is asked for another key.

Once it is saved, the key is tried with one read (GET /v1/webhooks). Whatever that finds, the profile stays.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --workspace ws_1 --region eu --base-url https://eu.example.com --api-key-stdin < key.txt',
    '<%= config.bin %> <%= command.id %> test --workspace ws_2 --region eu --base-url https://eu.example.com --sandbox',
    '<%= config.bin %> <%= command.id %> test --region us',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override args = {
    name: Args.string({ description: 'name of the profile; asked for unless given' }),
  };
  static override flags = {
    'api-key-stdin': Flags.boolean({ summary: 'read the API key from standard input' }),
    sandbox: Flags.boolean({ summary: 'the credentials are for testing; notices say so', allowNo: true }),
    idempotent: Flags.boolean({
      summary: 'the service supports Idempotency-Key, so every request can be retried',
      allowNo: true,
    }),
    // The former name of --idempotent.
    'keys-honoured': Flags.boolean({ hidden: true, allowNo: true, exclusive: ['idempotent'] }),
    'no-check': Flags.boolean({ summary: 'do not try the key once the profile is saved' }),
  };

  protected override async run(context: Context<typeof ProfilesAdd>): Promise<void> {
    const { flags, out, world, paths } = context;
    const asking = {
      noInput: flags['no-input'],
      instead: () => everythingGiven(context.args.name, flags),
    };
    const asked = canAsk(world, flags['no-input']) && !flags['api-key-stdin'];
    const name = context.args.name ?? (await nameOf());
    checkProfileName(name);
    const given: Partial<Profile> = withoutGaps({
      workspace: flags.workspace,
      region: flags.region,
      baseUrl: flags['base-url'],
      sandbox: flags.sandbox,
      keysHonoured: flags.idempotent ?? flags['keys-honoured'],
    });
    const profiles = new Profiles(paths.configDir);
    const there = profileOf(profiles.read().profiles, name);
    if (given.baseUrl !== undefined) checkAddress(given.baseUrl);
    if (given.workspace !== undefined) checkWorkspace(given.workspace);
    if (asked) await askFor(missing({ ...there, ...given }));
    complete({ ...there, ...given });
    const twice = given.baseUrl && repeatedVersion(given.baseUrl, { from: 'profile', name });
    if (twice) out.warn(twice);
    const apiKey = await readKey();
    if (apiKey !== undefined) {
      checkKey(apiKey);
      given.apiKey = apiKey;
    }
    let inUse = false;
    let before: Profile | undefined;
    let saved: Profile | undefined;
    await profiles.change((contents) => {
      before = profileOf(contents.profiles, name);
      saved = contents.profiles[name] = complete({ ...before, ...given });
      contents.current ??= name;
      inUse = contents.current === name;
    });
    if (before) out.notice(differences(before, given));
    out.result(
      { name, current: inUse },
      () =>
        `profile ${name} ${before ? 'changed' : 'saved'}${inUse ? ' and in use' : shell`; \`svc profiles use ${name}\` makes it the one in use`}`,
    );
    if (saved && !flags['no-check']) {
      const { tryProfile } = await import('../../features/profiles/try-profile.ts');
      await tryProfile(name, saved, context);
    }

    async function nameOf(): Promise<string> {
      if (asked) return askLine(world, 'name of the profile', { ...asking, check: checkProfileName });
      throw new SvcError('usage', 'NAME is missing: name of the profile', { hint: asking.instead });
    }

    /** Asks for the fields that a profile cannot do without, and with them for the region. */
    async function askFor(fields: readonly ('workspace' | 'baseUrl')[]): Promise<void> {
      if (fields.includes('baseUrl'))
        given.baseUrl = await askLine(world, 'base URL', { ...asking, check: checkAddress });
      if (fields.includes('workspace'))
        given.workspace = await askLine(world, 'workspace', { ...asking, check: checkWorkspace });
      if (fields.length > 0 && given.region === undefined && there === undefined) {
        const region = await askLine(world, 'region (Enter for none)', asking);
        if (region !== '') given.region = region;
      }
    }

    /** Undefined where the profile keeps the one it has. */
    async function readKey(): Promise<string | undefined> {
      if (flags['api-key-stdin']) return (await readStdin(world, MOST_KEY_BYTES)).trim();
      if (world.env.SVC_API_KEY) return world.env.SVC_API_KEY;
      if (there?.apiKey !== undefined && Object.keys(given).length > 0) return undefined;
      return askSecret(world, 'API key', {
        noInput: flags['no-input'],
        instead: (invocation) => `pipe it in: ${invocation.again('--api-key-stdin')} < key.txt`,
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
        { hint: everythingGiven(name, flags) },
      );
    }
  }
}

const FLAG_OF = { workspace: '--workspace', baseUrl: '--base-url' } as const;

const missing = (profile: Partial<Profile>): (keyof typeof FLAG_OF)[] =>
  (['workspace', 'baseUrl'] as const).filter((field) => profile[field] === undefined);

/** The command line with which nothing is left to ask, what was given already in it. */
function everythingGiven(
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

const withoutGaps = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** What became of each field of a profile that was there already, in words; the key masked. */
function differences(before: Profile, given: Partial<Profile>): string {
  const fields: [keyof Profile, string][] = [
    ['workspace', 'workspace'],
    ['region', 'region'],
    ['baseUrl', 'base URL'],
    ['apiKey', 'key'],
    ['sandbox', '--sandbox'],
    ['keysHonoured', '--idempotent'],
  ];
  const word = (field: keyof Profile, value: string | boolean | undefined) =>
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
    `changed: ${list(changed.map(([field, name]) => `${name} ${word(field, before[field])} to ${word(field, given[field])}`))}`,
    `kept: ${list(kept.map(([field, name]) => `${name} ${word(field, before[field])}`))}`,
  ].join('; ');
}
