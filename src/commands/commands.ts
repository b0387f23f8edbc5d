import { type Context, SvcCommand } from '../cli/command/command.ts';
import { commandName } from '../cli/help/terms.ts';
import { cyan } from '../cli/terminal/text.ts';

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

  protected override async run({ out, manifest }: Context): Promise<void> {
    const described = manifest();
    if (out.json) {
      const { commandReference } = await import('../features/commands/reference.ts');
      out.result(commandReference(described), () => '');
      return;
    }
    out.result(undefined, () =>
      out.table(
        [{ title: 'COMMAND', whole: true }, { title: 'WHAT IT DOES' }],
        described.commands.map(({ id, summary = '', plugin }) => [
          cyan(commandName(id)),
          plugin === undefined ? summary : `${summary} (plugin ${plugin})`,
        ]),
      ),
    );
  }
}
