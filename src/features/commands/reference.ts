import type { Manifest, ManifestCommand, ManifestFlag } from '../../cli/command/manifest.ts';
import { EXIT_MEANINGS } from '../../cli/errors/exit-codes.ts';
import { examplesOf, usage } from '../../cli/help/pages.ts';
import { commandName, valueName } from '../../cli/help/terms.ts';
import { outputSchemas, schemaFile } from '../../outputs/json-schemas.ts';
import { OUTPUTS, WITHOUT_OUTPUT } from '../../outputs/outputs.ts';

/** Describes every command for programs: flags with their types, exit codes and the schema of the output. */
export function commandReference({ version, commands }: Manifest) {
  const schemas = outputSchemas();
  return {
    version,
    exitCodes: EXIT_MEANINGS,
    error: schemas[schemaFile('error')],
    commands: commands.map((command) => describe(command, schemas)),
  };
}

/** What a command writes to standard output under --json: one document, a document a line, or text. */
function outputOf(id: string, schemas: ReturnType<typeof outputSchemas>) {
  const printed = OUTPUTS[id];
  if (printed) return { format: printed.lines ? 'ndjson' : 'json', schema: schemas[schemaFile(id)] };
  return id in WITHOUT_OUTPUT ? { format: 'text' } : null;
}

function describe(command: ManifestCommand, schemas: ReturnType<typeof outputSchemas>) {
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
    output: outputOf(id, schemas),
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
