import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { fieldsFlag } from '../../cli/flags/list-flags.ts';
import { Args } from '../../cli/flags/oclif.ts';
import type { Field } from '../../cli/terminal/listing.ts';
import type { MappingDocument } from '../../features/import/mapping-file/document.ts';
import { sourceNamed } from '../../features/import/mapping-file/mapping-flags.ts';
import { SOURCES } from '../../features/import/mapping-file/sources.ts';

const FIELDS: readonly Field<{ readonly documentation: readonly string[] }>[] = [
  { field: 'source', title: 'SOURCE', whole: true },
  { field: 'title', title: 'EXPORT' },
  {
    field: 'documentation',
    title: 'DOCUMENTATION',
    whole: true,
    cell: ({ documentation }) => documentation[0] ?? '',
  },
];

export default class EventsSources extends SvcCommand {
  static override summary = 'List the products whose exports svc events import --from reads';
  static override description =
    `Each source is a mapping file that ships with svc, written from the product's documentation. With a name, prints that
file, which can be changed and given to --mapping.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> segment > mapping.json',
    '<%= config.bin %> events import export.ndjson.gz --from mixpanel',
  ];
  static override args = {
    source: Args.string({ description: 'the source whose mapping file is printed', required: false }),
  };

  static override flags = { fields: fieldsFlag(FIELDS) };

  protected override async run({ args, flags, out }: Context<typeof EventsSources>): Promise<void> {
    if (args.source !== undefined) {
      const mapping = sourceNamed(args.source);
      out.result(mapping, () => JSON.stringify(mapping, null, 2));
      return;
    }
    const sources = Object.entries(SOURCES as Record<string, MappingDocument>).map(
      ([source, { title = '', documentation = [] }]) => ({
        source,
        title,
        documentation: [documentation].flat(),
      }),
    );
    out.list({ key: 'sources', rows: sources, fields: FIELDS, empty: 'no sources' }, flags.fields);
  }
}
