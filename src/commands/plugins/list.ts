import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { installedPlugins, rootOf, versionOf } from '../../features/plugins/installed.ts';

export default class PluginsList extends SvcCommand {
  static override summary = 'List the installed plugins';
  static override description = 'Reads local files only, and runs no code of a plugin.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2] as const;

  protected override async run({ out, paths: { dataDir } }: Context): Promise<void> {
    const plugins = installedPlugins(dataDir).map((plugin) => ({
      name: plugin.name,
      version: versionOf(plugin, dataDir) ?? null,
      type: plugin.type,
      root: rootOf(plugin, dataDir),
    }));
    out.result({ plugins }, () =>
      plugins.length === 0
        ? 'no plugins are installed'
        : out.table(
            [{ title: 'NAME', whole: true }, { title: 'VERSION' }, { title: 'TYPE' }, { title: 'FOLDER' }],
            plugins.map(({ name, version, type, root }) => [name, version ?? 'missing', type, root]),
          ),
    );
  }
}
