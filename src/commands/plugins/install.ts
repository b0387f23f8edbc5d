import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fileError } from '../../cli/errors/file-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { installedPlugins, versionOf } from '../../features/plugins/installed.ts';
import { FOREIGN_CODE } from '../../features/plugins/warning.ts';

export default class PluginsInstall extends SvcCommand {
  static override summary = 'Install or update a plugin: more commands, and hooks';
  static override description =
    `PLUGIN is a package of the npm registry, a tarball, a folder or a git URL. The code of a plugin runs with your rights in
every later svc command. Nothing is asked, so --no-input changes nothing. Install scripts of npm packages do not run,
unless --allow-scripts is given. The first use fetches the plugin manager (29 MB) from the npm registry.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> svc-plugin-brief',
    '<%= config.bin %> <%= command.id %> svc-plugin-brief@1.0.0',
    '<%= config.bin %> <%= command.id %> ./svc-plugin-brief-1.0.0.tgz',
  ];
  static override exitCodes = [0, 1, 2, 5, 6, 130] as const;
  static override args = {
    plugin: Args.string({ required: true, description: 'package, tarball, folder or git URL' }),
  };
  static override flags = {
    'allow-scripts': Flags.boolean({
      summary: 'let the install scripts of the package and its dependencies run',
    }),
  };

  protected override async run(context: Context<typeof PluginsInstall>): Promise<void> {
    const { args, flags, out, paths, root, signal, world } = context;
    const { dataDir } = paths;
    const source = sourceOf(args.plugin, world.cwd);
    const { managePlugins } = await import('../../features/plugins/manager.ts');
    const before = new Map(
      installedPlugins(dataDir).map((plugin) => [plugin.name, versionOf(plugin, dataDir)]),
    );
    out.warn(FOREIGN_CODE);
    await managePlugins(['plugins', 'install', '--silent', source], {
      root,
      dataDir,
      signal,
      env: {
        ...world.env,
        // A folder is packed and copied, as it would be published: `svc plugins link` is for development.
        npm_config_install_links: 'true',
        ...(flags['allow-scripts'] ? {} : { npm_config_ignore_scripts: 'true' }),
      },
      notice: (text) => out.notice(text),
    });
    const after = installedPlugins(dataDir);
    const plugin =
      after.find((found) => before.get(found.name) !== versionOf(found, dataDir)) ??
      // The same version again.
      after.find(({ name, url }) => (url === undefined ? args.plugin.startsWith(name) : url === source));
    const installed = plugin && { name: plugin.name, version: versionOf(plugin, dataDir) ?? null };
    out.result({ installed: installed ?? null }, () =>
      installed
        ? `installed plugin ${installed.name} ${installed.version}`
        : `installed plugin ${args.plugin}`,
    );
  }
}

/** Returns what the plugin manager takes: a path as a `file:` URL, anything else as it is. Throws `file`. */
function sourceOf(plugin: string, cwd: string): string {
  const isPath = /^[./~]|\.tgz$|^[A-Za-z]:[\\/]/.test(plugin) || /[\\/]$/.test(plugin);
  const path = resolve(cwd, plugin);
  if (!isPath) return plugin;
  if (!existsSync(path)) throw fileError(plugin, { code: 'ENOENT' });
  return `file:${path}`;
}
