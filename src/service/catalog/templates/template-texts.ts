import { fallbacksOf } from '../../../kit/locale.ts';
import type { ChannelTexts } from './channel-texts.ts';
import { requiredVariables } from './render.ts';
import type { TemplateFile } from './template-schema.ts';

/** What a template says: for all channels, and for each. */
export type Texts = Pick<TemplateFile, 'title' | 'body' | 'sms' | 'email' | 'push' | 'whatsapp'>;

/** The texts of a template: its own, and those of locales in canonical form. */
export interface LocalizedTexts {
  readonly texts: Texts;
  readonly locales: ReadonlyMap<string, Texts>;
}

/** The texts for one channel, ready to be filled. */
export type ChosenTexts = ChannelTexts & { readonly title?: string; readonly body: string };

type ChannelPart = 'sms' | 'email' | 'push' | 'whatsapp';

/**
 * Chooses the texts for a channel and a locale, such as `de-AT`: those of the locale, else of `de`, else the template's
 * own. The first that has something for the channel is used, whole: nothing is mixed. Undefined if none has.
 */
export function textsFor(
  { texts, locales }: LocalizedTexts,
  channel: string,
  locale: string | null | undefined,
): ChosenTexts | undefined {
  const tried = [...fallbacksOf(locale).flatMap((tag) => locales.get(tag) ?? []), texts];
  // A template that Meta approved is more than its text: a locale without one does not replace it.
  const approved = channel === 'whatsapp' ? tried.find(({ whatsapp }) => whatsapp) : undefined;
  const chosen = approved ?? tried.find((each) => hasTexts(each, channel));
  return chosen && forChannel(chosen, channel);
}

/** True if texts say something for a channel. */
export function hasTexts(texts: Texts, channel: string): boolean {
  return texts.body !== undefined || texts[channel as ChannelPart] !== undefined;
}

/** The texts of a channel with placeholders, by the path of each. */
export function placeholderTexts(texts: Texts, channel: string): Map<string, string> {
  const found = new Map<string, string>();
  const add = (path: string, text: string | undefined) => {
    if (text !== undefined) found.set(path, text);
  };
  const { sms, email, push, whatsapp } = texts;
  if (channel === 'sms' && sms) add('sms.text', sms.text);
  else if (channel === 'email' && email) {
    add('email.subject', email.subject);
    add('email.text', email.text);
    add('email.html', email.html);
  } else if (channel === 'push' && push) {
    add('push.title', push.title);
    add('push.body', push.body);
    for (const [name, text] of Object.entries(push.data ?? {})) add(`push.data.${name}`, text);
  } else if (channel === 'whatsapp' && whatsapp)
    whatsapp.parameters.forEach((parameter, i) => {
      add(`whatsapp.parameters[${i}]`, `{{${parameter}}}`);
    });
  else {
    add('title', texts.title);
    add('body', texts.body);
  }
  return found;
}

/** The variables that a channel requires, in whatever locale. */
export function variablesOf({ texts, locales }: LocalizedTexts, channel: string): string[] {
  const all = [texts, ...locales.values()].flatMap((each) => [...placeholderTexts(each, channel).values()]);
  return requiredVariables(all.join('\n'));
}

function forChannel(texts: Texts, channel: string): ChosenTexts {
  const { title, sms, email, push, whatsapp } = texts;
  return {
    ...(title === undefined ? {} : { title }),
    // Without a text, the outbox and records show what the approved template is filled with.
    body: texts.body ?? (whatsapp ? approvedText(whatsapp) : ''),
    ...(channel === 'sms' && sms ? { sms } : {}),
    ...(channel === 'email' && email ? { email } : {}),
    ...(channel === 'push' && push ? { push } : {}),
    ...(channel === 'whatsapp' && whatsapp ? { whatsapp } : {}),
  };
}

function approvedText({ name, parameters }: NonNullable<Texts['whatsapp']>): string {
  return [name, ...parameters.map((parameter) => `{{${parameter}}}`)].join(' ');
}
