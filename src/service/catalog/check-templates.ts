import { CHANNELS } from '../../contract/schemas.ts';
import { canonicalLocale, isLocale } from '../../kit/locale.ts';
import { requiredVariables, unknownFields } from '../domain/notifications/template.ts';
import type { CatalogIssue } from './issue.ts';
import type { CatalogFile } from './schema.ts';
import { hasTexts, placeholderTexts, type Texts } from './template-texts.ts';

type TemplateFile = NonNullable<CatalogFile['templates']>[number];

/** What is wrong with the texts of templates: each would fail when a notification is sent. */
export function templateIssues(templates: readonly TemplateFile[]): CatalogIssue[] {
  return templates.flatMap((template, i) => {
    const path = `templates[${i}]`;
    return [
      ...silentChannels(template, path),
      ...localeIssues(template, path),
      ...fieldIssues(template, path),
    ];
  });
}

const channelsOf = ({ channels }: TemplateFile) =>
  channels === undefined || channels.length === 0 ? CHANNELS : channels;

/** Channels for which the template itself, the last one to fall back to, has no text. */
function silentChannels(template: TemplateFile, path: string): CatalogIssue[] {
  const silent = channelsOf(template).filter((channel) => !hasTexts(template, channel));
  if (silent.length === 0) return [];
  return [
    {
      path,
      message: `has no text for ${silent.join(', ')}: add body, or ${silent[0]}, or list its channels`,
    },
  ];
}

function localeIssues(template: TemplateFile, path: string): CatalogIssue[] {
  const seen = new Map<string, string>();
  return Object.entries(template.locales ?? {}).flatMap(([locale, texts]): CatalogIssue[] => {
    const at = `${path}.locales.${locale}`;
    if (!isLocale(locale)) return [{ path: at, message: 'is not a locale tag, such as en-GB' }];
    const canonical = canonicalLocale(locale);
    const same = seen.get(canonical);
    seen.set(canonical, locale);
    if (same !== undefined) return [{ path: at, message: `is the same locale as ${same}` }];
    return channelsOf(template).flatMap((channel) => otherVariables(template, texts, channel, at));
  });
}

/** Variables that only a translation uses: a trigger that works for one user would be refused for all. */
function otherVariables(template: TemplateFile, texts: Texts, channel: string, path: string): CatalogIssue[] {
  const own = new Set(requiredVariables([...placeholderTexts(template, channel).values()].join('\n')));
  return [...placeholderTexts(texts, channel)].flatMap(([part, text]) =>
    requiredVariables(text)
      .filter((variable) => !own.has(variable))
      .map((variable) => ({
        path: `${path}.${part}`,
        message: `uses {{${variable}}}, which the template itself does not use for ${channel}`,
      })),
  );
}

/** Fields that no user has. Templates of earlier versions, without parts and locales, may name any. */
function fieldIssues(template: TemplateFile, path: string): CatalogIssue[] {
  const { sms, email, push, whatsapp, locales } = template;
  if (!sms && !email && !push && !whatsapp && !locales) return [];
  const places: [string, Texts][] = [
    [path, template],
    ...Object.entries(locales ?? {}).map(([locale, texts]): [string, Texts] => [
      `${path}.locales.${locale}`,
      texts,
    ]),
  ];
  const found = new Map<string, CatalogIssue>();
  for (const [at, texts] of places)
    for (const channel of CHANNELS)
      for (const [part, text] of placeholderTexts(texts, channel))
        for (const field of unknownFields(text))
          found.set(`${at}.${part} ${field}`, {
            path: `${at}.${part}`,
            message: `uses {{${field}}}, but users have only user.name, user.phone and user.accountNumber`,
          });
  return [...found.values()];
}
