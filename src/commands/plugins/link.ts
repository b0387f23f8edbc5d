import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { installedPlugins } from '../../features/plugins/installed.ts';
import { FOREIGN_CODE } from '../../features/plugins/warning.ts';

export default class PluginsLink extends SvcCommand {
  static override summary = 'Use a plugin from its source folder, to develop it';
  static override description =
    'Changes in the folder take effect at once. Dependencies of the plugin are not installed: run npm install there.';
  static override examples = ['<%= config.bin %> <%= command.id %> ./my-plugin'];
  static override exitCodes = [0, 1, 2, 5, 6, 130] as const;
  static override args = { folder: Args.string({ required: true, description: 'folder of the plugin' }) };

  protected override async run(context: Context<typeof PluginsLink>): Promise<void> {
    const { args, out, paths, root, signal, world } = context;
    const { dataDir } = paths;
    const folder = resolve(world.cwd, args.folder);
    if (!existsSync(join(folder, 'package.json')))
      throw new SvcError('file', `${args.folder} is no plugin: it has no package.json`, {
        hint: (invocation) =>
          `name the source folder of a plugin: ${invocation.onSameService('plugins', 'link', './my-plugin')}`,
      });
    const { managePlugins } = await import('../../features/plugins/manager.ts');
    out.warn(FOREIGN_CODE);
    await managePlugins(['plugins', 'link', '--no-install', folder], {
      root,
      dataDir,
      signal,
      env: { ...world.env },
      notice: (text) => out.notice(text),
    });
    const name = installedPlugins(dataDir).find((plugin) => plugin.root === folder)?.name ?? null;
    out.result({ linked: name, root: folder }, () => `linked plugin ${name} from ${folder}`);
  }
}
