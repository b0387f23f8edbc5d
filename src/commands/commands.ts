import { type Context, SvcCommand } from '../cli/command/command.ts';
import { fieldsFlag } from '../cli/flags/list-flags.ts';
import { commandName } from '../cli/help/terms.ts';
import type { Field } from '../cli/terminal/listing.ts';
import { cyan } from '../cli/terminal/text.ts';

interface Row {
  readonly command: string;
  readonly summary: string;
  readonly plugin: string | null;
}

const FIELDS: readonly Field<Row>[] = [
  { field: 'command', title: 'COMMAND', whole: true, cell: ({ command }) => cyan(command) },
  {
    field: 'summary',
    title: 'WHAT IT DOES',
    cell: ({ summary, plugin }) => (plugin === null ? summary : `${summary} (plugin ${plugin})`),
  },
  { field: 'usage', title: 'USAGE', whole: true, extra: true },
  { field: 'aliases', title: 'ALIASES', extra: true },
  { field: 'exitCodes', title: 'EXIT CODES', extra: true },
  { field: 'plugin', title: 'PLUGIN', extra: true },
];

export default class Commands extends SvcCommand {
  static override summary = 'List all commands; with --json everything a program needs to call them';
  static override description =
    `Under --json each command has its arguments, its flags with their types, its exit codes and the JSON Schema of what it
prints under --json; beside them are the meanings of the exit codes and the schema of errors. Commands of plugins are
included.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    `<%= config.bin %> <%= command.id %> --json | jq '.commands[] | select(.command == "svc decide") | .output.schema'`,
  ];
  static override exitCodes = [0, 1, 2] as const;

  static override flags = { fields: fieldsFlag(FIELDS) };

  protected override async run({ flags, out, manifest }: Context<typeof Commands>): Promise<void> {
    const described = manifest();
    const list = { key: 'commands', fields: FIELDS, empty: 'no commands' };
    if (out.json || flags.fields) {
      const { commandReference } = await import('../features/commands/reference.ts');
      const { commands: rows, ...rest } = commandReference(described);
      out.list({ ...list, rows, rest }, flags.fields);
      return;
    }
    const rows = described.commands.map(({ id, summary = '', plugin = null }) => ({
      command: commandName(id),
      summary,
      plugin,
    }));
    out.list({ ...list, rows }, undefined);
  }
}
