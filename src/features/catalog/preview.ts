import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { settingsText } from '../../kit/pipe.ts';
import type { Catalog } from '../../service/catalog/catalog.ts';
import { CatalogError, parseCatalog } from '../../service/catalog/parse.ts';
import { textsFor, variablesOf } from '../../service/catalog/templates/template-texts.ts';
import { compose } from '../../service/notifications/providers/compose.ts';

/** What to preview. */
export interface PreviewRequest {
  readonly catalog: Catalog;
  readonly template: string;
  readonly channel: string;
  readonly locale: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** The user's name; an empty one shows what a user without a name gets. */
  readonly name: string;
}

/** What a user would get. */
export interface Preview {
  readonly templateId: string;
  readonly channel: string;
  readonly locale: string | null;
  readonly subject: string | null;
  readonly text: string;
  readonly html?: string | undefined;
  readonly push?: object | undefined;
  readonly whatsapp?: object | undefined;
}

/** Values that stand for those of a user. */
const SAMPLE = { phone: '+440000000000', accountNumber: '00000000' };

/** Fills a template as the service does. Throws usage. */
export function previewNotification(request: PreviewRequest): Preview {
  const { template: templateId, channel, variables } = request;
  const { catalog } = request;
  const template = catalog.templates.get(templateId);
  if (!template)
    throw new SvcError('usage', `the catalog has no template ${templateId}`, {
      hint: `name one of ${[...catalog.templates.keys()].join(', ')} with --template`,
    });
  if (template.channels.length > 0 && !template.channels.includes(channel))
    throw new SvcError('usage', `${templateId} is not sent on ${channel}`, {
      hint: `name one of ${template.channels.join(', ')} with --channel`,
    });
  const missing = variablesOf(template, channel).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0)
    throw new SvcError('usage', `a trigger has to give ${missing.join(', ')}`, {
      hint: `add --var ${missing[0]}=VALUE`,
    });
  const texts = textsFor(template, channel, request.locale);
  const composed =
    texts &&
    compose({
      ...{ workspaceId: '', notificationId: '', hashId: '', templateId, priority: template.priority },
      ...{ channel, earlierTries: 0, trace: null, address: '', addressHash: '', email: undefined },
      template: texts,
      variables,
      personal: { ...SAMPLE, name: request.name },
    });
  if (!composed?.ok)
    throw new SvcError('usage', composed?.failure ?? `${templateId} has no text for ${channel}`, {
      hint: 'give the template a text for this channel, and fields of the user a default: {{user.name|there}}',
    });
  const { subject = null, text, html, push, whatsapp } = composed.message;
  return {
    ...{ templateId, channel, locale: request.locale ?? null, subject, text },
    ...(html === undefined ? {} : { html }),
    ...(push === undefined ? {} : { push }),
    ...(whatsapp === undefined ? {} : { whatsapp }),
  };
}

/** The catalog of a file. Throws usage and file. */
export function catalogOfFile(path: string): Catalog {
  let text: string;
  try {
    text = settingsText(path);
  } catch (error) {
    throw fileError(path, error, 'read');
  }
  return catalogOfText(text, path);
}

/** The catalog of a JSON text, which came from `from`. Throws usage. */
export function catalogOfText(text: string, from: string): Catalog {
  try {
    return parseCatalog(text);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    throw new SvcError('usage', `the catalog ${from} is invalid: ${error.message.replaceAll('\n', '; ')}`, {
      hint: 'correct these places; docs/catalog.md describes the file',
      cause: error,
    });
  }
}
