import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import { installedPlugins, rootOf, versionOf } from '../../features/plugins/installed.ts';

const FIELDS: readonly Field<{ readonly version: string | null }>[] = [
  { field: 'name', title: 'NAME', whole: true },
  { field: 'version', title: 'VERSION', cell: ({ version }) => version ?? 'missing' },
  { field: 'type', title: 'TYPE' },
  { field: 'root', title: 'FOLDER' },
];

export default class PluginsList extends SvcCommand {
  static override summary = 'List the installed plugins';
  static override description = 'Reads local files only, and runs no code of a plugin.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2] as const;

  static override flags = { fields: fieldsFlag(FIELDS) };

  protected override async run({
    flags,
    out,
    paths: { dataDir },
  }: Context<typeof PluginsList>): Promise<void> {
    const plugins = installedPlugins(dataDir).map((plugin) => ({
      name: plugin.name,
      version: versionOf(plugin, dataDir) ?? null,
      type: plugin.type,
      root: rootOf(plugin, dataDir),
    }));
    out.list({ key: 'plugins', rows: plugins, fields: FIELDS, empty: 'no plugins' }, flags.fields);
  }
}
