import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { text, textOrNull } from './fields.ts';

const object = (description: string) => about(description, z.looseObject({}));

export const CommandsOutput = z.object({
  version: text('Version of svc.'),
  exitCodes: object('The exit codes with their meanings.'),
  error: object('JSON Schema of what a failure prints.'),
  commands: about(
    'The commands, with flags, exit codes and the schema of their output.',
    z.array(z.looseObject({})),
  ),
});

export const PluginInstalled = z.object({
  installed: about('The plugin; null if it cannot be told which one it is.', z.nullable(z.looseObject({}))),
});
export const PluginLinked = z.object({
  linked: textOrNull('Name of the plugin.'),
  root: text('Its folder.'),
});
export const PluginUninstalled = z.object({ uninstalled: text('Name of the plugin.') });
export const PluginsOutput = z.object({
  plugins: about(
    'The installed plugins.',
    z.array(
      z.object({
        name: text('Name of the plugin.'),
        version: textOrNull('Its version.'),
        type: text('How it was installed.'),
        root: text('Its folder.'),
      }),
    ),
  ),
});
