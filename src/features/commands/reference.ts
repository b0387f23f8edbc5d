import type { Manifest, ManifestCommand, ManifestFlag } from '../../cli/command/manifest.ts';
import { EXIT_MEANINGS } from '../../cli/errors/exit-codes.ts';
import { examplesOf, usage } from '../../cli/help/pages.ts';
import { commandName, valueName } from '../../cli/help/terms.ts';
import { errorSchema } from './error-schema.ts';
import { OUTPUTS } from './outputs.ts';

/** Describes every command for programs: flags with their types, exit codes and the schema of the output. */
export function commandReference({ version, commands }: Manifest) {
  return {
    version,
    exitCodes: EXIT_MEANINGS,
    error: errorSchema(),
    commands: commands.map(describe),
  };
}

function describe(command: ManifestCommand) {
  const { id, summary = '', description = '', aliases, args, exitCodes, strict, plugin = null } = command;
  const flags = Object.values(command.flags).filter(({ hidden }) => !hidden);
  return {
    command: commandName(id),
    summary,
    description,
    usage: usage(
      command,
      flags.filter(({ helpGroup }) => helpGroup !== 'GLOBAL'),
    ),
    aliases: aliases.map(commandName),
    examples: examplesOf(command),
    arguments: Object.values(args).map(({ name, description = '', required = false, options = null }) => ({
      name,
      description,
      required,
      repeatable: !strict,
      values: options,
    })),
    flags: flags.map(describeFlag),
    exitCodes,
    output: OUTPUTS[id]?.() ?? null,
    plugin,
  };
}

function describeFlag(flag: ManifestFlag) {
  const { name, char, type, summary, description = '', helpGroup, valueType } = flag;
  const { multiple = false, required = false, allowNo = false, options, default: preset } = flag;
  return {
    flag: `--${name}`,
    short: char === undefined ? null : `-${char}`,
    type: type === 'boolean' ? 'boolean' : (valueType ?? 'string'),
    placeholder: type === 'boolean' ? null : valueName(flag),
    summary: summary ?? description,
    required,
    repeatable: multiple,
    negatable: allowNo,
    values: options ?? null,
    default: preset ?? null,
    global: helpGroup === 'GLOBAL',
  };
}
