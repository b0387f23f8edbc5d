import { versionTwice } from '../../cli/base-path.ts';
import { type Context, SvcCommand } from '../../cli/command.ts';
import { SvcError } from '../../cli/errors.ts';
import { Args, Flags } from '../../cli/oclif.ts';
import { checkProfileName } from '../../cli/profile-names.ts';
import { askSecret, readStdin } from '../../cli/prompt.ts';
import { checkAddress } from '../../cli/settings.ts';
import { shell } from '../../kit/shell.ts';
import { mask, type Profile, Profiles } from '../../profiles/profiles.ts';

const MOST_KEY_BYTES = 4096;

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Add or change a profile';
  static override description =
    `The API key is read from standard input, from SVC_API_KEY, or asked for; it is never a flag. The first profile
added is the one in use. Of a profile that is there already, what is not given stays as it is, the key too; with nothing
but its name, it is asked for another key.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --workspace ws_1 --region eu --base-url https://eu.example.com --api-key-stdin < key.txt',
    '<%= config.bin %> <%= command.id %> test --workspace ws_2 --region eu --base-url https://eu.example.com --sandbox',
    '<%= config.bin %> <%= command.id %> test --region us',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) };
  static override flags = {
    'api-key-stdin': Flags.boolean({ summary: 'read the API key from standard input' }),
    sandbox: Flags.boolean({ summary: 'the credentials are for testing; notices say so', allowNo: true }),
    'keys-honoured': Flags.boolean({
      summary: 'the service honours Idempotency-Key, so every request may be repeated',
      allowNo: true,
    }),
  };

  protected override async act({
    args: { name },
    flags,
    out,
    world,
    paths,
  }: Context<typeof ProfilesAdd>): Promise<void> {
    checkProfileName(name);
    const given: Partial<Profile> = withoutGaps({
      workspace: flags.workspace,
      region: flags.region,
      baseUrl: flags['base-url'],
      sandbox: flags.sandbox,
      keysHonoured: flags['keys-honoured'],
    });
    const profiles = new Profiles(paths.configDir);
    const there = profileOf(profiles.read().profiles, name);
    complete({ ...there, ...given });
    if (given.baseUrl !== undefined) checkAddress(given.baseUrl);
    const twice = given.baseUrl && versionTwice(given.baseUrl, { from: 'profile', name });
    if (twice) out.warn(twice);
    const apiKey = await readKey();
    if (apiKey !== undefined) given.apiKey = checkedKey(apiKey);
    let inUse = false;
    let before: Profile | undefined;
    await profiles.change((contents) => {
      before = profileOf(contents.profiles, name);
      contents.profiles[name] = complete({ ...before, ...given });
      contents.current ??= name;
      inUse = contents.current === name;
    });
    if (before) out.notice(differences(before, given));
    out.result(
      { name, current: inUse },
      () =>
        `profile ${name} ${before ? 'changed' : 'saved'}${inUse ? ' and in use' : shell`; \`svc profiles use ${name}\` makes it the one in use`}`,
    );

    /** Undefined where the profile keeps the one it has. */
    async function readKey(): Promise<string | undefined> {
      if (flags['api-key-stdin']) return (await readStdin(world, MOST_KEY_BYTES)).trim();
      if (world.env.SVC_API_KEY) return world.env.SVC_API_KEY;
      if (there?.apiKey !== undefined && Object.keys(given).length > 0) return undefined;
      return askSecret(world, 'API key', {
        noInput: flags['no-input'],
        instead: (typed) => `pipe it in: ${typed.again('--api-key-stdin')} < key.txt`,
      });
    }

    function complete(profile: Partial<Profile>): Profile {
      const { workspace, baseUrl } = profile;
      if (workspace !== undefined && baseUrl !== undefined) return { ...profile, workspace, baseUrl };
      throw new SvcError('usage', `--${workspace === undefined ? 'workspace' : 'base-url'} is missing`, {
        hint: shell`svc profiles add ${name} --workspace W --region R --base-url https://…`,
      });
    }
  }
}

function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new SvcError(
    'usage',
    'the API key is empty or holds spaces or other characters that a header cannot carry',
    { hint: 'copy it again, alone on its line' },
  );
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
    ['keysHonoured', '--keys-honoured'],
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
