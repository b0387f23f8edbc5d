import { type Context, SvcCommand } from '../../cli/command.ts';
import { SvcError } from '../../cli/errors.ts';
import { Args, Flags } from '../../cli/oclif.ts';
import { checkProfileName } from '../../cli/profile-names.ts';
import { askSecret, readStdin } from '../../cli/prompt.ts';
import { checkAddress } from '../../cli/settings.ts';
import { Profiles } from '../../profiles/profiles.ts';

const MOST_KEY_BYTES = 4096;

export default class ProfilesAdd extends SvcCommand {
  static override summary = 'Add or replace a profile';
  static override description =
    `The API key is read from standard input, from SVC_API_KEY, or asked for; it is never a flag. The first profile
added is the one in use.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> prod --workspace ws_1 --region eu --base-url https://eu.example.com --api-key-stdin < key.txt',
    '<%= config.bin %> <%= command.id %> test --workspace ws_2 --region eu --base-url https://eu.example.com --sandbox',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override args = { name: Args.string({ required: true, description: 'name of the profile' }) };
  static override flags = {
    'api-key-stdin': Flags.boolean({ summary: 'read the API key from standard input' }),
    sandbox: Flags.boolean({ summary: 'the credentials are for testing; notices say so' }),
    'keys-honoured': Flags.boolean({
      summary: 'the service honours Idempotency-Key, so every request may be repeated',
    }),
  };

  protected override async act({
    args,
    flags,
    out,
    world,
    paths,
  }: Context<typeof ProfilesAdd>): Promise<void> {
    const { name } = args;
    checkProfileName(name);
    const { workspace, region } = flags;
    const baseUrl = flags['base-url'];
    if (workspace === undefined || baseUrl === undefined) {
      throw new SvcError('usage', `--${workspace === undefined ? 'workspace' : 'base-url'} is missing`, {
        hint: `svc profiles add ${name} --workspace W --region R --base-url https://…`,
      });
    }
    checkAddress(baseUrl);
    const apiKey = await readKey();
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw new SvcError(
        'usage',
        'the API key is empty or holds spaces or other characters that a header cannot carry',
        { hint: 'copy it again, alone on its line' },
      );
    const profiles = new Profiles(paths.configDir);
    let inUse = false;
    let replaced: string | undefined;
    await profiles.change((contents) => {
      const before = Object.hasOwn(contents.profiles, name) ? contents.profiles[name] : undefined;
      replaced = before && `${before.workspace} at ${before.baseUrl}`;
      contents.profiles[name] = {
        workspace,
        baseUrl,
        apiKey,
        ...(region === undefined ? {} : { region }),
        ...(flags.sandbox ? { sandbox: true } : {}),
        ...(flags['keys-honoured'] ? { keysHonoured: true } : {}),
      };
      contents.current ??= name;
      inUse = contents.current === name;
    });
    out.result(
      { name, current: inUse },
      () =>
        `profile ${name} ${replaced ? `replaced (was ${replaced})` : 'saved'}${inUse ? ' and in use' : `; \`svc profiles use ${name}\` makes it the one in use`}`,
    );

    async function readKey(): Promise<string> {
      if (flags['api-key-stdin']) return (await readStdin(world, MOST_KEY_BYTES)).trim();
      if (world.env.SVC_API_KEY) return world.env.SVC_API_KEY;
      return askSecret(world, 'API key', {
        noInput: flags['no-input'],
        instead: 'pipe it in with --api-key-stdin, or set SVC_API_KEY',
      });
    }
  }
}
