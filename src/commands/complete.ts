import { type Context, SvcCommand } from '../cli/command/command.ts';
import { LOCAL, Profiles } from '../profiles/profiles.ts';

export default class Complete extends SvcCommand {
  static override summary =
    'Print the completions of a command line with their descriptions, for the completion scripts';
  static override examples = ['<%= config.bin %> <%= command.id %> -- events im'];
  static override exitCodes = [0, 1, 2] as const;
  static override hidden = true;
  static override strict = false;

  protected override async run({ out, paths, manifest }: Context<typeof Complete>): Promise<void> {
    const { candidates } = await import('../cli/completion/candidates.ts');
    const profiles = () => [...Object.keys(new Profiles(paths.configDir).read().profiles), LOCAL];
    // From `argv`, because the parser removes a last word `--`, which requests flags.
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    const found = candidates(words, manifest(), profiles);
    for (const { word, description } of found)
      out.raw(description === '' ? `${word}\n` : `${word}\t${description}\n`);
  }
}
