import { type Context, SvcCommand } from '../cli/command/command.ts';
import { type GlobalFlags, globalFlags } from '../cli/flags/global-flags.ts';
import { parse } from '../cli/flags/oclif.ts';
import { serviceFlags } from '../cli/invocation/invocation.ts';
import { partitionFlags } from '../cli/invocation/partition-flags.ts';
import { LOCAL, Profiles } from '../profiles/profiles.ts';

const { profile, 'base-url': baseUrl, workspace, region } = globalFlags;
const SERVICE_FLAGS = { profile, 'base-url': baseUrl, workspace, region };

export default class Complete extends SvcCommand {
  static override endsWithReader = true;
  static override summary =
    'Print the completions of a command line with their descriptions, for the completion scripts';
  static override examples = ['<%= config.bin %> <%= command.id %> -- events im'];
  static override exitCodes = [0, 1, 2] as const;
  static override hidden = true;
  static override strict = false;

  protected override async run(context: Context<typeof Complete>): Promise<void> {
    const { flags, manifest, out, paths, version, world } = context;
    const { candidates } = await import('../cli/completion/candidates.ts');
    const profiles = () => [...Object.keys(new Profiles(paths.configDir).read().profiles), LOCAL];
    // From `argv`, because the parser removes a last word `--`, which requests flags.
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    const found = await candidates(words, manifest(), {
      profiles,
      ids: async (kind, before) => {
        const { flags: typed } = partitionFlags(before, serviceFlags);
        const { serviceIds } = await import('../cli/completion/service-ids.ts');
        return serviceIds(kind, { ...flags, ...(await parseServiceFlags(typed)) }, world, version);
      },
    });
    for (const { word, description } of found)
      out.raw(description === '' ? `${word}\n` : `${word}\t${description}\n`);
  }
}

/** The flags of a command line that select a service; none where one of them is not complete. */
async function parseServiceFlags(words: readonly string[]): Promise<Partial<GlobalFlags>> {
  try {
    const { flags } = await parse([...words], { flags: SERVICE_FLAGS, strict: true });
    return flags as Partial<GlobalFlags>;
  } catch {
    return {};
  }
}
