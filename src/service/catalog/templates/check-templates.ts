import { CHANNELS } from '../../../contract/schemas.ts';
import type { CatalogIssue } from '../issue.ts';
import { localeIssues } from '../localized.ts';
import { requiredVariables, straysOf, unknownFields } from './render.ts';
import type { TemplateFile } from './template-schema.ts';
import { hasTexts, placeholderTexts, type Texts } from './template-texts.ts';

/**
 * What is wrong with the texts of templates: each would fail when a notification is sent. A template that is not valid is
 * undefined.
 */
export function templateIssues(templates: readonly (TemplateFile | undefined)[]): CatalogIssue[] {
  return templates.flatMap((template, i) => {
    if (!template) return [];
    const path = `templates[${i}]`;
    return [...silentChannels(template, path), ...textIssues(template, path), ...fieldIssues(template, path)];
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

function textIssues(template: TemplateFile, path: string): CatalogIssue[] {
  const { locales = {} } = template;
  const at = `${path}.locales`;
  const issues = localeIssues(Object.keys(locales), at);
  const isWrong = (locale: string) => issues.some((issue) => issue.path === `${at}.${locale}`);
  const others = Object.entries(locales).flatMap(([locale, texts]) =>
    isWrong(locale)
      ? []
      : channelsOf(template).flatMap((channel) =>
          otherVariables(template, texts, channel, `${at}.${locale}`),
        ),
  );
  return [...issues, ...others];
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
  return isPlain(template) ? [] : unknownFieldsOf(template, path);
}

const isPlain = ({ sms, email, push, whatsapp, locales }: TemplateFile) =>
  !sms && !email && !push && !whatsapp && !locales;

function unknownFieldsOf(template: TemplateFile, path: string): CatalogIssue[] {
  return [...textsOf(template, path)].flatMap(([at, text]) =>
    unknownFields(text).map((field) => ({
      path: at,
      message: `uses {{${field}}}, but users have only user.name, user.phone and user.accountNumber`,
    })),
  );
}

/**
 * Placeholders that do not work in templates that may be stored nevertheless: fields that no user has in plain templates, and
 * braces that are not a placeholder, which users would see.
 */
export function placeholderWarnings(templates: readonly (TemplateFile | undefined)[]): CatalogIssue[] {
  return templates.flatMap((template, i) => {
    if (!template) return [];
    const path = `templates[${i}]`;
    const braces = [...textsOf(template, path)].flatMap(([at, text]) =>
      straysOf(text).map((stray) => ({
        path: at,
        message: `has ${stray}, which is sent as it is: it is no placeholder`,
      })),
    );
    return [...(isPlain(template) ? unknownFieldsOf(template, path) : []), ...braces];
  });
}

/** The texts of a template and of its locales, each once, by their paths. */
function textsOf(template: TemplateFile, path: string): Map<string, string> {
  const places: [string, Texts][] = [
    [path, template],
    ...Object.entries(template.locales ?? {}).map(([locale, texts]): [string, Texts] => [
      `${path}.locales.${locale}`,
      texts,
    ]),
  ];
  const found = new Map<string, string>();
  for (const [at, texts] of places)
    for (const channel of CHANNELS)
      for (const [part, text] of placeholderTexts(texts, channel)) found.set(`${at}.${part}`, text);
  return found;
}
