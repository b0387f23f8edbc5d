import { type Context, SvcCommand } from '../cli/command.ts';
import { LOCAL, Profiles } from '../profiles/profiles.ts';

export default class Complete extends SvcCommand {
  static override summary =
    'Print what may stand at the end of a command line; the completion scripts call it';
  static override examples = ['<%= config.bin %> <%= command.id %> -- events im'];
  static override exitCodes = [0, 1, 2] as const;
  static override hidden = true;
  static override strict = false;

  protected override async act({ argv, out, paths, root }: Context<typeof Complete>): Promise<void> {
    const { candidates } = await import('../cli/completion/candidates.ts');
    const { readManifest } = await import('../cli/manifest.ts');
    const profiles = () => [...Object.keys(new Profiles(paths.configDir).read().profiles), LOCAL];
    const found = candidates(argv, readManifest(root), profiles);
    if (found.length > 0) out.raw(`${found.join('\n')}\n`);
  }
}
