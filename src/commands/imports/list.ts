import { join } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { IMPORT_FIELDS } from '../../features/import/report/imports-view.ts';

export default class ImportsList extends SvcCommand {
  static override summary = 'List the imports whose journals this machine keeps';
  static override description =
    `A journal says what the service has acknowledged, so that --resume sends only the rest. How much is left of an
unfinished import is known only after its input was read. Sends no request. Journals of --checkpoint are not listed.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    `<%= config.bin %> <%= command.id %> --json | jq -r '.imports[] | select(.state == "unfinished").inputs[]'`,
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = { fields: fieldsFlag(IMPORT_FIELDS) };

  protected override async run({ flags, out, paths }: Context<typeof ImportsList>): Promise<void> {
    const { keptImports } = await import('../../features/import/deliver/journal/list.ts');
    out.list(
      {
        key: 'imports',
        rows: keptImports(join(paths.dataDir, 'imports')),
        fields: IMPORT_FIELDS,
        empty: 'no imports',
      },
      flags.fields,
    );
  }
}
