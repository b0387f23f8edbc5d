import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag, limitFlag } from '../../cli/flags/list-flags.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { longList } from '../../cli/input/long-list.ts';
import { VERSION_FIELDS } from '../../features/catalog/view.ts';

export default class CatalogVersions extends SvcCommand {
  static override summary = 'List the versions of the catalog, newest first';
  static override examples = ['<%= config.bin %> <%= command.id %>'];
  static override flags = {
    ...spanFlags('versions stored'),
    limit: limitFlag,
    fields: fieldsFlag(VERSION_FIELDS),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof CatalogVersions>) {
    const { client } = await connect();
    const { since, until, limit } = flags;
    const list = await longList(
      'versions',
      (after) => client.call('listCatalogVersions', { query: { since, until, after }, signal }),
      { limit, out },
    );
    out.list(
      {
        key: 'versions',
        ...list,
        fields: VERSION_FIELDS,
        empty:
          (since ?? until)
            ? 'no versions of this time'
            : 'no versions: the catalog of the service is in force',
      },
      flags.fields,
    );
  }
}
