import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A plugin that the user installed or linked, as @oclif/plugin-plugins records it. */
export interface InstalledPlugin {
  readonly name: string;
  readonly type: 'user' | 'link';
  /** The version or tag that was asked for. */
  readonly tag?: string;
  /** Where it came from, unless from the registry. */
  readonly url?: string;
  /** The folder of a linked plugin. */
  readonly root?: string;
}

/** Returns the folder of plugins: package.json lists them, node_modules holds them. */
export function pluginFolder(dataDir: string): string {
  return join(dataDir, 'plugins');
}

/**
 * Lists the installed plugins. Every start of svc asks this, so it opens one file, which does not exist where no plugin
 * was ever installed. Throws PluginsUnusable where the file cannot be read.
 */
export function installedPlugins(dataDir: string): readonly InstalledPlugin[] {
  const file = join(pluginFolder(dataDir), 'package.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (WITHOUT_PLUGINS.has(code)) return [];
    throw new PluginsUnusable(file, `cannot be read (${code})`, error);
  }
  try {
    const plugins: unknown = JSON.parse(text).oclif?.plugins ?? [];
    return (plugins as InstalledPlugin[]).filter(({ name }) => typeof name === 'string');
  } catch (error) {
    throw new PluginsUnusable(file, 'is not a list of plugins', error);
  }
}

/** No plugin was installed, or the data folder cannot be used: a command that needs the folder explains that. */
const WITHOUT_PLUGINS = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']);

/** The list of plugins cannot be read. */
class PluginsUnusable extends Error {
  readonly file: string;
  constructor(file: string, why: string, cause: unknown) {
    super(`${file} ${why}`, { cause });
    this.name = 'PluginsUnusable';
    this.file = file;
  }
}

/** Returns the folder of an installed plugin. */
export function rootOf({ name, root }: InstalledPlugin, dataDir: string): string {
  return root ?? join(pluginFolder(dataDir), 'node_modules', ...name.split('/'));
}

/** Returns the version of an installed plugin; undefined where its package.json is missing or damaged. */
export function versionOf(plugin: InstalledPlugin, dataDir: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(rootOf(plugin, dataDir), 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}
