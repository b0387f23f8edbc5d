import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { MessagePreview } from '../../parts/message-preview.tsx';
import { Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';
import { type Entry, textOf } from './schema.ts';

const FORMATS = ['card', 'modal', 'embedded', 'full-screen'];
/** The locale of those for whom there is no text of their own. */
export const OTHER = 'any other';
const CHANNELS = ['sms', 'email', 'push', 'whatsapp'];

/** A choice among a few values. */
function Choice(props: {
  label: string;
  value: string;
  values: readonly string[];
  set: (value: string) => void;
}): VNode {
  const { label, value, values, set } = props;
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={(e) => set(e.currentTarget.value)}>
        {values.map((each) => (
          <option value={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

interface InLocale {
  readonly locale: string;
  readonly setLocale: (locale: string) => void;
}

/** A content as an app would render it, in its own format or another. */
export function ContentPreview(props: { content: Entry } & InLocale): VNode {
  const { content, setLocale } = props;
  const [format, setFormat] = useState('');
  const shown = format || textOf(content.format);
  const texts = asEntry(content.texts);
  const locales = Object.keys(texts);
  const locale = locales.includes(props.locale) ? props.locale : OTHER;
  const said = locale === OTHER ? content : asEntry(texts[locale]);
  return (
    <Box title="Preview" note="as an app would render it">
      <div class="filters">
        <Choice label="Format" value={shown} values={FORMATS} set={setFormat} />
        {locales.length > 0 && (
          <Choice label="Locale" value={locale} values={[OTHER, ...locales]} set={setLocale} />
        )}
      </div>
      <MessagePreview message={{ format: shown, title: textOf(said.title), body: textOf(said.body) }} />
    </Box>
  );
}

/** Values that stand for those of a user. */
const SAMPLE: Readonly<Record<string, string>> = {
  'user.name': 'Ada',
  'user.phone': '+44 1632 960017',
  'user.accountNumber': '00000000',
};
const PLACEHOLDER = /\{\{\s*([^{}|]{1,256}?)\s*(?:\|([^{}]{0,1000}))?\}\}/g;

/** A template filled with sample values, for a channel and a locale. */
export function TemplatePreview(props: { template: Entry } & InLocale): VNode {
  const { template, setLocale } = props;
  const locales = Object.keys(asEntry(template.locales));
  const locale = locales.includes(props.locale) ? props.locale : OTHER;
  const allowed =
    Array.isArray(template.channels) && template.channels.length > 0
      ? template.channels.map(String)
      : CHANNELS;
  const [channel, setChannel] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const of = channel && allowed.includes(channel) ? channel : allowed[0]!;
  const parts = partsOf(template, of, locale);
  const names = [
    ...new Set(parts.flatMap(([, text]) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))),
  ].filter((name) => !name.startsWith('user.'));
  const fill = (text: string) =>
    text.replace(
      PLACEHOLDER,
      (_, name: string, other?: string) => values[name] || SAMPLE[name] || other || `‹${name}›`,
    );
  return (
    <Box title="Preview" note="with sample values: nothing is sent">
      <div class="filters">
        <Choice label="Channel" value={of} values={allowed} set={setChannel} />
        <Choice label="Locale" value={locale} values={[OTHER, ...locales]} set={setLocale} />
        {names.map((name) => (
          <label class="choice">
            <Text of={name} />
            <input
              type="text"
              value={values[name] ?? ''}
              onInput={(e) => setValues({ ...values, [name]: e.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {parts.length === 0 && <p class="state">It has no text for this channel.</p>}
      <dl class="facts">
        {parts.map(([name, text]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <Text of={fill(text)} />
            </dd>
          </div>
        ))}
      </dl>
    </Box>
  );
}

/** The texts for a channel: those of the locale where it has some, else the template's own. */
function partsOf(template: Entry, channel: string, locale: string): [string, string][] {
  const local = asEntry(asEntry(template.locales)[locale]);
  const from = [local, template].find((texts) => texts[channel] !== undefined || texts.body !== undefined);
  if (!from) return [];
  const part = asEntry(from[channel]);
  const texts = Object.keys(part).length > 0 ? part : { title: from.title, body: from.body };
  return Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string'
      ? [[name, text]]
      : Array.isArray(text)
        ? text.map((each, i): [string, string] => [`${name} ${i + 1}`, `{{${String(each)}}}`])
        : [],
  );
}

const asEntry = (value: unknown): Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : {};
