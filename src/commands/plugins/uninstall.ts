import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args } from '../../cli/flags/oclif.ts';
import { installedPlugins } from '../../features/plugins/installed.ts';

export default class PluginsUninstall extends SvcCommand {
  static override summary = 'Remove a plugin, or the link to one';
  static override examples = ['<%= config.bin %> <%= command.id %> svc-plugin-brief'];
  static override exitCodes = [0, 1, 2, 5, 6, 130] as const;
  static override args = { plugin: Args.string({ required: true, description: 'name of the plugin' }) };

  protected override async run(context: Context<typeof PluginsUninstall>): Promise<void> {
    const { args, out, paths, root, signal, world } = context;
    const { dataDir } = paths;
    if (!installedPlugins(dataDir).some(({ name }) => name === args.plugin))
      throw new SvcError('usage', `the plugin ${args.plugin} is not installed`, {
        hint: 'see the installed ones: svc plugins list',
      });
    const { managePlugins } = await import('../../features/plugins/manager.ts');
    await managePlugins(['plugins', 'uninstall', args.plugin], {
      root,
      dataDir,
      signal,
      env: { ...world.env },
      notice: (text) => out.notice(text),
    });
    if (installedPlugins(dataDir).some(({ name }) => name === args.plugin))
      throw new SvcError('failed', `the plugin ${args.plugin} is still installed`, {
        hint: (invocation) => `remove it again: ${invocation.rerunWith()}`,
      });
    out.result({ uninstalled: args.plugin }, () => `uninstalled plugin ${args.plugin}`);
  }
}
