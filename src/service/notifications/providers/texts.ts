import type { ChannelTexts } from '../../catalog/templates/channel-texts.ts';
import { fillTemplate, type PersonalFields } from '../../catalog/templates/render.ts';
import type { PushParts, WhatsAppParts } from './channel.ts';

interface FilledParts {
  readonly html?: string;
  readonly push?: PushParts;
  readonly whatsapp?: WhatsAppParts;
}

type Filled = { ok: true; parts: FilledParts } | { ok: false; missing: string[] };

/** The title and body of a template for a channel, and `fill`, which makes what only that channel has. */
export function channelTexts(
  template: ChannelTexts & { readonly title?: string; readonly body: string },
  channel: string,
): {
  readonly title: string | undefined;
  readonly body: string;
  fill(variables: Readonly<Record<string, string>>, personal: PersonalFields): Filled;
} {
  const { title, body, sms, email, push, whatsapp } = template;
  switch (channel) {
    case 'sms':
      return { title, body: sms?.text ?? body, fill: () => ({ ok: true, parts: {} }) };
    case 'email':
      return {
        title: email?.subject ?? title,
        body: email?.text ?? body,
        fill: (variables, personal) => {
          if (email?.html === undefined) return { ok: true, parts: {} };
          const filled = fillTemplate(email.html, escaped(variables), escaped(personal));
          return filled.ok ? { ok: true, parts: { html: filled.text } } : filled;
        },
      };
    case 'push':
      return {
        title: push?.title ?? title,
        body: push?.body ?? body,
        fill: (variables, personal) => {
          const texts = fillAll(
            { title: push?.title ?? title, body: push?.body ?? body, ...prefixed(push?.data ?? {}) },
            variables,
            personal,
          );
          if (!texts.ok) return texts;
          const { title: filledTitle, body: filledBody, ...data } = texts.filled;
          return {
            ok: true,
            parts: {
              push: {
                ...(filledTitle === undefined ? {} : { title: filledTitle }),
                body: filledBody ?? '',
                ...(push?.data === undefined ? {} : { data: unprefixed(data) }),
              },
            },
          };
        },
      };
    default:
      return {
        title,
        body,
        fill: (variables, personal) => {
          if (channel !== 'whatsapp' || !whatsapp) return { ok: true, parts: {} };
          const texts = fillAll(
            Object.fromEntries(whatsapp.parameters.map((name, i) => [String(i), `{{${name}}}`])),
            variables,
            personal,
          );
          if (!texts.ok) return texts;
          const parameters = whatsapp.parameters.map((_, i) => texts.filled[String(i)] ?? '');
          return {
            ok: true,
            parts: { whatsapp: { name: whatsapp.name, language: whatsapp.language, parameters } },
          };
        },
      };
  }
}

/** So that a member named `title` is none of the texts. */
const DATA = 'data.';
const prefixed = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([name, text]) => [DATA + name, text]));
const unprefixed = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([name, text]) => [name.slice(DATA.length), text]));

function fillAll(
  texts: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>>,
  personal: PersonalFields,
): { ok: true; filled: Record<string, string> } | { ok: false; missing: string[] } {
  const filled: Record<string, string> = {};
  const missing = new Set<string>();
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const result = fillTemplate(text, variables, personal);
    if (result.ok) filled[name] = result.text;
    else for (const each of result.missing) missing.add(each);
  }
  return missing.size === 0 ? { ok: true, filled } : { ok: false, missing: [...missing] };
}

function escaped<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, escapeHtml(String(text))]),
  ) as T;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
