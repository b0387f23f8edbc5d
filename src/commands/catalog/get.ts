import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class CatalogGet extends SvcCommand {
  static override summary = 'Print the catalog of the workspace, or an earlier version of it';
  static override description =
    `Prints only the catalog, as a file for \`svc catalog put\` and \`svc serve --catalog\`. With --json, prints its version
too, which \`svc catalog put\` then compares.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> > catalog.json',
    '<%= config.bin %> <%= command.id %> --json | jq .version',
  ];
  static override flags = {
    version: Flags.integer({
      summary: 'an earlier version; 0 for the catalog of the service',
      min: 0,
      helpValue: 'N',
    }),
  };

  protected override async run({ flags, out, signal, connect }: Context<typeof CatalogGet>): Promise<void> {
    const { client } = await connect();
    const version = flags.version === undefined ? undefined : String(flags.version);
    const { body } = await (version === undefined
      ? orUnsupportedFeature('the catalog', client.call('getCatalog', { signal }))
      : orUnsupportedOperation(
          `show version ${version} of the catalog`,
          (invocation) => `list the versions: ${invocation.onSameService('catalog', 'versions')}`,
          client.call('getCatalogVersion', { params: { version }, signal }),
        ));
    if (out.json) return out.result(body ?? {}, () => '');
    const { catalog, reason } = objectOf(body);
    if (typeof reason === 'string') out.notice(reason);
    out.raw(`${escapeJson(JSON.stringify(catalog ?? {}, null, 2))}\n`);
  }
}
