import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Empty } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { type FieldIssue, Fields } from './field.tsx';
import { ContentPreview, TemplatePreview } from './previews.tsx';
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
  disabled: boolean;
  change: (catalog: Catalog) => void;
}): VNode {
  const { list, id, catalog, issues, disabled, change } = props;
  const { route } = useLocation();
  const [withdrawing, setWithdrawing] = useState(false);
  const entries = entriesOf(catalog, list);
  const key = LISTS[list].id;
  const index = entries.findIndex((entry) => entry[key] === id);
  const entry = entries[index];
  if (!entry) return <Empty title={`The catalog has no ${LISTS[list].one} of this name.`} />;
  const prefix = `${list}[${index}].`;
  const own = issues.flatMap(({ path, message }) =>
    path.startsWith(prefix) ? [{ path: path.slice(prefix.length), message }] : [],
  );
  const put = (next: Entry) =>
    change(
      withEntries(
        catalog,
        list,
        entries.map((each, i) => (i === index ? next : each)),
      ),
    );
  const { paused, ...going } = entry;
  return (
    <div class="editor">
      <div>
        <div class="actions">
          <a class="button" href="/catalog">
            <Icon name="back" /> All of the catalog
          </a>
          {list !== 'goals' && (
            <button
              type="button"
              disabled={disabled}
              onClick={() => put(paused ? going : { ...entry, paused: true })}
            >
              <Icon name={paused ? 'play' : 'pause'} /> {paused ? 'Resume' : 'Pause'}
            </button>
          )}
          <button type="button" disabled={disabled} onClick={() => setWithdrawing(true)}>
            <Icon name="trash" /> Withdraw
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
        <Fields
          schema={schemaOf(list)}
          groups={groupsOf(list)}
          value={entry}
          issues={own}
          disabled={disabled}
          change={put}
        />
      </div>
      {list === 'contents' && <ContentPreview content={entry} />}
      {list === 'templates' && <TemplatePreview template={entry} />}
      {withdrawing && (
        <Confirm
          title={`Withdraw this ${LISTS[list].one}`}
          verb="Withdraw"
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
            <Text of={id} /> is removed from the draft; it leaves the catalog when the draft is stored.
            {list === 'goals' ? ' What it counted is removed then.' : ' Pausing it keeps it.'}
          </p>
        </Confirm>
      )}
    </div>
  );
}
