import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { bold, type Text, yellow } from '../../cli/terminal/text.ts';
import { catalogFileArg, readCatalog } from '../../features/catalog/file.ts';
import { issuesOf, warningsOf } from '../../features/catalog/issues.ts';

export default class CatalogValidate extends SvcCommand {
  static override summary = 'Check a catalog file';
  static override description =
    `Prints every error with its path, and warns of what may be stored but hardly is meant: an activeUntil that is past, and
placeholders that do not work; with --with-events also of goals whose event was not seen, whose filter no event passes, and
whose number events do not have, and of what the latest events do against the plan of events. Exit 0 if the catalog may be stored, 8 if it has errors.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> catalog.json',
    '<%= config.bin %> <%= command.id %> catalog.json --with-events',
  ];
  static override exitCodes = [0, 1, 2, 8] as const;
  static override args = { file: catalogFileArg };

  static override flags = {
    'with-events': Flags.boolean({
      summary: 'also ask the service about its latest events, goals and plan',
    }),
  };

  protected override async run(context: Context<typeof CatalogValidate>): Promise<void> {
    const { args, flags, out, signal, world } = context;
    const { catalog } = await readCatalog(args.file, world);
    const issues = issuesOf(catalog);
    const valid = issues.length === 0;
    const warnings = warningsOf(catalog, world.clock.now());
    if (valid && flags['with-events']) {
      const { client } = await context.connect();
      const { body } = await orUnsupportedFeature(
        'to check a catalog',
        client.call('validateCatalog', { body: { catalog }, signal }),
      );
      const known = new Set(warnings.map(({ path, message }) => `${path} ${message}`));
      warnings.push(...(body.warnings ?? []).filter(({ path, message }) => !known.has(`${path} ${message}`)));
    }
    const warned = warnings.map(
      ({ path, message }): Text => [yellow('warning: '), bold(path), ` ${message}\n`],
    );
    out.result({ valid, issues, warnings }, () => [
      ...warned,
      ...(valid
        ? ['the catalog is valid']
        : issues.flatMap(({ path, message }, i): Text[] => [i > 0 ? '\n' : '', bold(path), ' ', message])),
    ]);
    if (!valid)
      throw new SvcError(
        'differs',
        `the catalog has ${issues.length} ${issues.length === 1 ? 'error' : 'errors'}`,
        {
          hint: 'correct these places; docs/catalog.md describes the file',
        },
      );
  }
}
