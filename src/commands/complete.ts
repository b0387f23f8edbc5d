import { type Context, SvcCommand } from '../cli/command/command.ts';
import { LOCAL, Profiles } from '../profiles/profiles.ts';

export default class Complete extends SvcCommand {
  static override summary =
    'Print what may stand at the end of a command line, and what it means; the completion scripts call it';
  static override examples = ['<%= config.bin %> <%= command.id %> -- events im'];
  static override exitCodes = [0, 1, 2] as const;
  static override hidden = true;
  static override strict = false;

  protected override async run({ out, paths, root }: Context<typeof Complete>): Promise<void> {
    const { candidates } = await import('../cli/completion/candidates.ts');
    const { readManifest } = await import('../cli/command/manifest.ts');
    const profiles = () => [...Object.keys(new Profiles(paths.configDir).read().profiles), LOCAL];
    // As typed: the parser would take away a last word `--`, which asks for flags.
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    const found = candidates(words, readManifest(root), profiles);
    for (const { word, meaning } of found) out.raw(meaning === '' ? `${word}\n` : `${word}\t${meaning}\n`);
  }
}
