import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { bold, type Text } from '../../cli/terminal/text.ts';
import { parseVariables } from '../../features/notifications/trigger-request.ts';
import { isLocale } from '../../kit/locale.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class NotificationsPreview extends SvcCommand {
  static override summary = 'Show what a template becomes, without sending it';
  static override description =
    `Fills a template as the service does, for a locale and a channel. Takes the catalog in force in the workspace, or that of
a file, for which no service is asked. Nothing is sent. An empty --name shows what a user without a name gets.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --template order_update --channel sms --var orderId=A-1',
    '<%= config.bin %> <%= command.id %> --catalog catalog.json --template order_update --channel email --locale de --var orderId=A-1 --json',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6] as const;
  static override flags = {
    catalog: Flags.string({ summary: 'catalog file; the catalog in force by default', helpValue: 'FILE' }),
    template: Flags.string({
      char: 't',
      summary: 'identifier of the template',
      required: true,
      helpValue: 'T',
    }),
    channel: Flags.string({
      char: 'c',
      summary: 'whatsapp, sms, email or push',
      options: ['whatsapp', 'sms', 'email', 'push'],
      required: true,
      helpValue: 'C',
    }),
    locale: Flags.string({ summary: 'locale of the user, such as de-AT', helpValue: 'L' }),
    var: Flags.string({
      summary: 'value of a template variable (may be repeated)',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'k=v',
    }),
    name: Flags.string({ summary: 'name of the user', default: 'Ada', helpValue: 'NAME' }),
  };

  protected override async run(context: Context<typeof NotificationsPreview>): Promise<void> {
    const { flags, out } = context;
    if (flags.locale !== undefined && !isLocale(flags.locale))
      throw new SvcError('usage', `${flags.locale} is not a locale tag`, {
        hint: 'write, for example, --locale de-AT',
      });
    const { catalogOfFile, catalogOfText, previewNotification } = await import(
      '../../features/catalog/preview.ts'
    );
    const catalog =
      flags.catalog === undefined
        ? catalogOfText(await catalogInForce(context), 'in force')
        : catalogOfFile(flags.catalog);
    const preview = previewNotification({
      catalog,
      template: flags.template,
      channel: flags.channel,
      locale: flags.locale,
      variables: parseVariables(flags.var ?? []),
      name: flags.name,
    });
    const part = (title: string, text: string | null | undefined): Text[] =>
      text === null || text === undefined ? [] : [bold(`${title}: `), text, '\n'];
    out.result(preview, () => [
      ...part('subject', preview.subject),
      ...part('text', preview.text),
      ...part('html', preview.html),
      ...part('push', preview.push && JSON.stringify(preview.push)),
      ...part('whatsapp', preview.whatsapp && JSON.stringify(preview.whatsapp)),
    ]);
  }
}

/** The catalog of the workspace, as JSON text. */
async function catalogInForce({ connect, signal }: Context<typeof NotificationsPreview>): Promise<string> {
  const { client } = await connect();
  const { body } = await orUnsupportedFeature('the catalog', client.call('getCatalog', { signal }));
  return JSON.stringify(objectOf(body).catalog ?? null);
}
