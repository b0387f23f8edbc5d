import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { orConflict } from '../../features/catalog/conflict.ts';
import { changeFlags } from '../../features/catalog/file.ts';
import { showPut } from '../../features/catalog/view.ts';

export default class CatalogRevert extends SvcCommand {
  static override summary = 'Go back to an earlier version of the catalog';
  static override description =
    `Stores the earlier version again as the newest. Changes of other authors are undone only if --over names the version in
force, so that nobody loses work by accident.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --author ada',
    '<%= config.bin %> <%= command.id %> 4 --over 7',
  ];
  static override args = {
    version: Args.integer({
      description:
        'the version; the one before the version in force if omitted; 0 for the catalog of the service',
      min: 0,
    }),
  };
  static override flags = {
    over: Flags.integer({
      summary: 'the version in force, to undo changes of other authors',
      min: 1,
      helpValue: 'N',
    }),
    ...changeFlags,
  };

  protected override async run(context: Context<typeof CatalogRevert>): Promise<void> {
    const { args, flags, out, signal } = context;
    const { client } = await context.connect();
    const { author, note, over } = flags;
    const body = {
      ...(args.version === undefined ? {} : { to: args.version }),
      ...(over === undefined ? {} : { over }),
      ...(author === undefined ? {} : { author }),
      ...(note === undefined ? {} : { note }),
    };
    const answer = await orAmbiguous(
      'whether the catalog went back',
      (invocation) =>
        `look: ${invocation.onSameService('catalog', 'versions')}, then: ${invocation.rerunWith()}`,
      orUnsupportedOperation(
        args.version === undefined ? 'go back to the version before' : `go back to version ${args.version}`,
        (invocation) => `list the versions: ${invocation.onSameService('catalog', 'versions')}`,
        orConflict(
          (invocation) =>
            `list the versions and their authors: ${invocation.onSameService('catalog', 'versions')}\nto undo changes of others, add --over with the version in force`,
          client.call('revertCatalog', { body, signal }),
        ),
      ),
    );
    out.result(answer.body ?? {}, () => showPut(answer.body));
  }
}
