import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orAmbiguous } from '../../cli/errors/ambiguous-outcome.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { bold } from '../../cli/terminal/text.ts';
import { orConflict } from '../../features/catalog/conflict.ts';
import { catalogFileArg, changeFlags, readCatalog } from '../../features/catalog/file.ts';
import { showPut } from '../../features/catalog/view.ts';

export default class CatalogPut extends SvcCommand {
  static override summary = 'Replace the catalog of the workspace';
  static override description =
    `Stores a new version, which all nodes use within a second; an identical catalog changes nothing. With --if-version, or
with the output of \`svc catalog get --json\`, a catalog that was changed in the meantime is not replaced (exit 5). While
a node runs with --catalog, that file is used and nothing can be put.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> catalog.json --if-version 7 --author ada --note "Spring offers"',
    'git show main:catalog.json | <%= config.bin %> <%= command.id %> -',
  ];
  static override args = { file: catalogFileArg };
  static override flags = {
    'if-version': Flags.integer({
      summary: 'only if this version is still in force; 0 for the catalog of the service',
      min: 0,
      helpValue: 'N',
    }),
    ...changeFlags,
  };

  protected override async run(context: Context<typeof CatalogPut>): Promise<void> {
    const { args, flags, out, signal, world } = context;
    const given = await readCatalog(args.file, world);
    const { client } = await context.connect();
    const { author, note } = flags;
    const ifVersion = flags['if-version'] ?? given.version;
    const body = {
      catalog: given.catalog,
      ...(ifVersion === undefined ? {} : { ifVersion }),
      ...(author === undefined ? {} : { author }),
      ...(note === undefined ? {} : { note }),
    };
    const answer = await orAmbiguous(
      'whether the catalog was replaced',
      (invocation) =>
        `compare it: ${invocation.onSameService('catalog', 'versions')}, then: ${invocation.rerunWith()}`,
      orConflict(
        (invocation) => `show what differs: ${invocation.onSameResource(args.file, 'catalog', 'diff')}`,
        orUnsupportedFeature('to replace the catalog', client.call('putCatalog', { body, signal })),
      ),
    );
    for (const { path, message } of answer.body?.warnings ?? []) out.warn([bold(path), ` ${message}`]);
    const { goals } = given.catalog;
    if (Array.isArray(goals) && goals.length > 0 && answer.body?.unchanged === false)
      out.notice(
        `the events of new goals are counted in the background; progress: ${context.invocation.onSameService('model')}`,
      );
    out.result(answer.body ?? {}, () => showPut(answer.body));
  }
}
