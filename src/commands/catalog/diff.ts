import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { catalogChanges } from '../../features/catalog/diff.ts';
import { catalogFileArg, readCatalog } from '../../features/catalog/file.ts';
import { issuesOf } from '../../features/catalog/issues.ts';
import { showChanges } from '../../features/catalog/view.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class CatalogDiff extends SvcCommand {
  static override summary = 'Show what `catalog put` with a file would change';
  static override description =
    'Compares the catalog in force with a file, by contents and templates. Exit 0 if they are the same, 8 if they differ.';
  static override examples = ['<%= config.bin %> <%= command.id %> catalog.json'];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 8] as const;
  static override args = { file: catalogFileArg };

  protected override async run(context: Context<typeof CatalogDiff>): Promise<void> {
    const { args, out, signal, world } = context;
    const { catalog } = await readCatalog(args.file, world);
    const { client } = await context.connect();
    const { body } = await orUnsupportedFeature('the catalog', client.call('getCatalog', { signal }));
    const { version, catalog: current } = objectOf(body);
    const changes = catalogChanges(objectOf(current), catalog);
    const same = changes.length === 0;
    out.result({ version, same, changes }, () => (same ? 'no difference' : showChanges(changes)));
    if (!same)
      throw new SvcError(
        'differs',
        `the file and the catalog in force differ in ${changes.length} ${changes.length === 1 ? 'place' : 'places'}`,
        {
          hint: (invocation) =>
            issuesOf(catalog).length > 0
              ? `it has errors, and cannot be put in force: ${invocation.onSameResource(args.file, 'catalog', 'validate')}`
              : `to put it in force: ${invocation.onSameResource(args.file, 'catalog', 'put', '--if-version', String(version))}`,
        },
      );
  }
}
