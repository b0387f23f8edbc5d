import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../data/api.ts';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { useDocumentKey } from '../../parts/focus/document-key.ts';
import { counted } from '../../parts/numbers.ts';
import { cleaned, Text } from '../../parts/text.tsx';
import { Changes, changedEntries, changeWords } from './changes.tsx';
import { setDraft } from './draft.ts';
import type { FieldIssue } from './field-notes.tsx';
import type { Catalog } from './schema.ts';

/** Says that there is a draft, and publishes or discards it. */
export function DraftBar(props: {
  based: number;
  current: number;
  checking: boolean;
  valid: boolean;
  issues: number;
  /** Of these, those of fields that are still to be filled in, until publishing is tried. */
  unfilled: number;
  toFirstError: () => void;
  /** Of the draft; `old` are those that the catalog in force has, too. */
  warnings: readonly (FieldIssue & { readonly old: boolean })[];
  catalog: Catalog;
  /** The catalog in force. */
  before: Catalog;
  stored: (version: number) => void;
  discarded: () => void;
}): VNode {
  const {
    based,
    current,
    checking,
    valid,
    issues,
    unfilled,
    toFirstError,
    warnings,
    catalog,
    before,
    stored,
    discarded,
  } = props;
  const changes = changedEntries(before, catalog);
  const [asked, setAsked] = useState<'store' | 'discard'>();
  const [wanted, setWanted] = useState(false);
  const [note, setNote] = useState('');
  useDocumentKey((event) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    setWanted(true);
  });
  // What was typed last is checked first.
  useEffect(() => {
    if (!wanted || checking) return;
    setWanted(false);
    if (valid) setAsked('store');
    else toFirstError();
  });
  const store = async () => {
    const { version } = await call('putCatalog', {
      body: { catalog: { ...catalog }, ifVersion: based, author: 'console', ...(note ? { note } : {}) },
    });
    setDraft(undefined);
    stored(version);
  };
  return (
    <div class="draft-bar">
      <section class="box" aria-label="Draft">
        <div class="actions">
          <h2 title="Kept in this tab until it is published or discarded">{`Draft: ${changeWords(changes)}`}</h2>
          <span role="status">
            {issues > 0
              ? [
                  issues > unfilled && `${counted(issues - unfilled, 'error')} to correct`,
                  unfilled > 0 && `${counted(unfilled, 'field')} to fill in`,
                ]
                  .filter(Boolean)
                  .join(', ')
              : valid
                ? `No errors${warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : ''}`
                : 'Checking…'}
            {based !== current &&
              `; the catalog has version ${current} by now, the draft is based on ${based}`}
          </span>
          {issues > 0 && (
            <button type="button" onClick={toFirstError}>
              To the first
            </button>
          )}
          <button
            type="button"
            class="primary"
            title="Ctrl S"
            disabled={issues > 0 || !(valid || checking)}
            onClick={() => setWanted(true)}
          >
            Publish the draft
          </button>
          <kbd>Ctrl S</kbd>
          <button type="button" class="danger" onClick={() => setAsked('discard')}>
            Discard the draft
          </button>
        </div>
        {changes.length > 0 && (
          <details class="figures">
            <summary>What it changes</summary>
            <Changes of={changes} label="What the draft changes" />
          </details>
        )}
        {warnings.map(({ path, message, old }) => (
          <p class="note">
            <Badge tone={old ? 'plain' : 'warn'}>{old ? 'from before the draft' : 'warning'}</Badge>{' '}
            <code>{cleaned(path)}</code> <Text of={message} />
          </p>
        ))}
        {asked === 'store' && (
          <Confirm title="Publish the draft" verb="Publish" run={store} close={() => setAsked(undefined)}>
            <Changes of={changes} label="What is published" />
            <p class="note">Every node uses it within a second. An earlier version can be brought back.</p>
            <label class="choice">
              What the change is for
              <input
                type="text"
                maxLength={256}
                value={note}
                onInput={(e) => setNote(e.currentTarget.value)}
              />
            </label>
          </Confirm>
        )}
        {asked === 'discard' && (
          <Confirm
            title="Discard the draft"
            verb="Discard"
            danger
            run={async () => {
              setDraft(undefined);
              discarded();
            }}
            close={() => setAsked(undefined)}
          >
            <p>The changes of this tab are lost.</p>
          </Confirm>
        )}
      </section>
    </div>
  );
}
