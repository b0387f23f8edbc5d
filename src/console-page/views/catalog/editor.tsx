import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Empty } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { CONTROLS, Fields } from './field.tsx';
import { type FieldIssue, within } from './field-notes.tsx';
import { ContentPreview, OTHER, TemplatePreview } from './previews.tsx';
import {
  type Catalog,
  type Entry,
  entriesOf,
  groupsOf,
  LISTS,
  type ListName,
  schemaOf,
  withEntries,
} from './schema.ts';

/** The form of a content, template or goal, its preview, and what can be done with it. */
export function Editor(props: {
  list: ListName;
  id: string;
  catalog: Catalog;
  issues: readonly FieldIssue[];
  /** How often publishing it was tried: then all that is wrong is shown, and the first of it gets the focus. */
  tried: number;
  disabled: boolean;
  change: (catalog: Catalog) => void;
}): VNode {
  const { list, id, catalog, issues, tried, disabled, change } = props;
  const { route, query } = useLocation();
  const [withdrawing, setWithdrawing] = useState(false);
  /** The fields that were left: nothing is wrong with one that is still to be written. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /** The language that is edited, which the preview follows. */
  const [locale, setLocale] = useState(OTHER);
  const form = useRef<HTMLDivElement>(null);
  const entries = entriesOf(catalog, list);
  const key = LISTS[list].id;
  const index = entries.findIndex((entry) => entry[key] === id);
  const entry = entries[index];
  // What it says is written first; a link may lead to one of its languages, and to how that looks.
  useEffect(() => {
    const { locale: wanted } = query;
    const of = wanted && form.current?.querySelector(`[data-name="${CSS.escape(wanted)}"]`);
    (of || form.current)?.querySelector<HTMLElement>(CONTROLS)?.focus();
    if (wanted === undefined) return;
    setLocale(wanted);
    form.current?.closest('.editor')?.querySelector(':scope > .box')?.scrollIntoView({ block: 'nearest' });
  }, [query.locale]);
  useEffect(() => {
    if (tried > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [tried]);
  if (!entry)
    return (
      <Empty title={`The catalog has no ${LISTS[list].one} of this name.`}>
        <a href="/catalog">All of the catalog</a>
      </Empty>
    );
  const prefix = `${list}[${index}].`;
  const own = issues
    .flatMap(({ path, message }) =>
      path.startsWith(prefix) ? [{ path: path.slice(prefix.length), message }] : [],
    )
    .filter(({ path }) => tried > 0 || [...left].some((each) => within(path, each) || within(each, path)));
  const put = (next: Entry) =>
    change(
      withEntries(
        catalog,
        list,
        entries.map((each, i) => (i === index ? next : each)),
      ),
    );
  return (
    <div class="editor">
      <div>
        <div class="actions">
          <a class="button" href="/catalog">
            <Icon name="back" /> All of the catalog
          </a>
          <button type="button" class="danger" disabled={disabled} onClick={() => setWithdrawing(true)}>
            <Icon name="trash" /> Remove from the draft
          </button>
          {list !== 'templates' && (
            <a
              class="button"
              href={list === 'contents' ? `/contents/${encodeURIComponent(id)}` : '/contents'}
            >
              What it earns
            </a>
          )}
        </div>
        <h2>
          <Text of={id} />
        </h2>
        <div
          ref={form}
          onFocusIn={({ target }) =>
            setLocale((target as Element).closest<HTMLElement>('[data-name]')?.dataset.name ?? OTHER)
          }
          onFocusOut={({ target }) => {
            const path = (target as Element).closest<HTMLElement>('[data-path]')?.dataset.path;
            if (path !== undefined && !left.has(path)) setLeft(new Set([...left, path]));
          }}
        >
          <Fields
            schema={schemaOf(list)}
            groups={groupsOf(list)}
            value={entry}
            issues={own}
            disabled={disabled}
            change={put}
          />
        </div>
      </div>
      {list === 'contents' && <ContentPreview content={entry} locale={locale} setLocale={setLocale} />}
      {list === 'templates' && <TemplatePreview template={entry} locale={locale} setLocale={setLocale} />}
      {withdrawing && (
        <Confirm
          title={`Remove this ${LISTS[list].one}`}
          verb="Remove from the draft"
          danger
          run={async () => {
            change(
              withEntries(
                catalog,
                list,
                entries.filter((_, i) => i !== index),
              ),
            );
            route('/catalog');
          }}
          close={() => setWithdrawing(false)}
        >
          <p>
            <Text of={id} /> is removed from the draft; it leaves the catalog when the draft is published.
            {list === 'goals' ? ' What it counted is removed then.' : ' Pausing it keeps it.'}
          </p>
        </Confirm>
      )}
    </div>
  );
}
