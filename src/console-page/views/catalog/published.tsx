import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../parts/numbers.ts';
import { Cut, cleaned, Text } from '../../parts/text.tsx';
import { changedEntries } from './changes.tsx';
import { OTHER } from './previews.tsx';
import { type Catalog, type Entry, entriesOf, stateOf, textOf } from './schema.ts';

/** A catalog that was published, and the one before it. */
export interface Publication {
  readonly version: number;
  readonly before: Catalog;
  readonly after: Catalog;
}

/** Contents, and languages of one, that are said at most; the version has all. */
const MOST = 3;
const MOST_LANGUAGES = 5;

/** Says where the draft was that it is published, and what users read now, until it is closed or something is changed again. */
export function Published({ version, before, after, close }: Publication & { close: () => void }): VNode {
  const section = useRef<HTMLElement>(null);
  // The button, and with it the focus, went with the draft.
  useEffect(() => section.current?.focus({ preventScroll: true }), []);
  const changed = new Set(
    changedEntries(before, after).flatMap(({ kind, name }) => (kind === 'content' ? [name] : [])),
  );
  const contents = entriesOf(after, 'contents').filter(({ contentId }) => changed.has(textOf(contentId)));
  return (
    <div class="draft-bar">
      <section class="box" aria-label="Published" tabIndex={-1} ref={section}>
        <div class="actions">
          <span role="status">
            <strong>Published as version {version}.</strong> It is in force: every node uses it within a
            second.
          </span>
          <a href={`/catalog/versions/${version}`}>Its effect</a>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
        <ul aria-label="What users read now">
          {contents.slice(0, MOST).map((content) => (
            <li>
              <Readers of={content} />
            </li>
          ))}
          {contents.length > MOST && <li>and {counted(contents.length - MOST, 'more content')}</li>}
        </ul>
      </section>
    </div>
  );
}

/** What a content says to whom; each leads to its preview. */
function Readers({ of: content }: { of: Entry }): VNode {
  const id = textOf(content.contentId);
  const texts = Object.entries((content.texts ?? {}) as Readonly<Record<string, Entry>>);
  const only = Array.isArray(content.locales) ? content.locales.map(String) : [];
  const state = stateOf(content, Date.now());
  const lines = [
    ...texts.slice(0, MOST_LANGUAGES).map(([locale, { title }]) => ({ locale, title })),
    { locale: OTHER, title: content.title },
  ];
  return (
    <>
      <strong>
        <Text of={id} />
      </strong>{' '}
      {state !== 'active' && `is ${state}, and not chosen now. It `}says
      <ul class="readers">
        {lines.map(({ locale, title }) => (
          <li>
            <a href={`/catalog/contents/${encodeURIComponent(id)}?locale=${encodeURIComponent(locale)}`}>
              {locale !== OTHER
                ? `to users with the locale ${cleaned(locale)}`
                : texts.length > 0
                  ? 'to all others'
                  : 'to all users'}
            </a>
            : <Cut of={textOf(title)} />
          </li>
        ))}
      </ul>
      {texts.length > MOST_LANGUAGES &&
        `and has ${counted(texts.length - MOST_LANGUAGES, 'more translation')}. `}
      {only.length > 0 &&
        `Only users with these locales, or without one, get it: ${cleaned(only.join(', '))}.`}
    </>
  );
}
