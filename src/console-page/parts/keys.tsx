import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { isTyping, ROWS } from './focus/arrow-keys.ts';
import { useDocumentKey } from './focus/document-key.ts';
import { focusTitle } from './focus/kept-focus.ts';
import { keptRange } from './range.tsx';

/** What a view must say of itself to be reached by keys. */
export interface KeyedView {
  readonly path: string;
  readonly title: string;
  /** The letter that leads to it after `g`. */
  readonly key: string;
}

/** How long `g` waits for its letter, in ms. */
const SECOND_KEY_MS = 1500;

/** Whether the list of the keys is shown. */
export const keysListed = signal(false);

/** The fields by which lists are filtered. */
const FILTERS =
  'main :is(input[type="search"], .filters input[type="text"], .toolbar input[type="text"], .find input)';
/** From where the arrow keys lead into the list. */
const BEFORE_LIST = `body, main, h1, .view-head *, ${FILTERS}`;
/** The fields of a form that is edited. */
const FORM = '.editor .fields :is(input, textarea, select)';

/** Keys that work everywhere: `/` to the filter, arrows into the list, `g` and a letter to a view, `?` for the list of them. */
export function Keys({ views }: { views: readonly KeyedView[] }): VNode {
  const { query, route } = useLocation();
  // When `g` was pressed; the page may be younger than a second key takes.
  const since = useRef(-SECOND_KEY_MS);
  // Before the rows, of which a letter may be the second of two.
  useDocumentKey((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const at = document.activeElement;
    if (event.key === 'Escape' && at?.matches(`${FILTERS}, ${FORM}`)) {
      event.preventDefault();
      focusTitle();
    } else if (event.key === 'ArrowDown' && at?.matches(FILTERS)) {
      event.preventDefault();
      enterFiltered(at as HTMLElement);
    } else if (event.key === 'ArrowDown' && at?.matches(BEFORE_LIST)) enterList(event);
    else if (isTyping()) return;
    else if (event.key === '/') {
      const input =
        document.querySelector<HTMLElement>('main :is(input[type="search"], input[type="text"])') ??
        document.querySelector<HTMLElement>('main .segments :checked');
      if (!input) return;
      event.preventDefault();
      input.focus();
    } else if (event.key === '?') keysListed.value = true;
    else if (event.key === 'g') since.current = event.timeStamp;
    else if (event.timeStamp - since.current < SECOND_KEY_MS) {
      since.current = -SECOND_KEY_MS;
      const view = views.find(({ key }) => key === event.key);
      if (!view) return;
      event.preventDefault();
      route(`${view.path}${keptRange(query)}`);
    } else if (event.key === 'j' && !at?.matches(ROWS)) enterList(event);
  }, true);
  return <>{keysListed.value && <KeyList views={views} close={() => (keysListed.value = false)} />}</>;
}

/** How often, in ms, and how many times it is looked whether a filtered list has come. */
const LOOK_MS = 20;
const MOST_LOOKS = 150;

/** Has what was typed into a filter take effect, and then moves the focus into the list. */
function enterFiltered(filter: HTMLElement, looks = 0): void {
  if (looks === 0) filter.blur();
  setTimeout(() => {
    const at = document.activeElement;
    // The reader has gone elsewhere meanwhile.
    if (at !== document.body && at !== filter) return;
    const isLoading = document.querySelector('main .loading') !== null;
    if ((isLoading || !enterList()) && looks < MOST_LOOKS) enterFiltered(filter, looks + 1);
  }, LOOK_MS);
}

/** Moves the focus to the row whose detail is shown, or to the first one. False without rows. */
function enterList(event?: KeyboardEvent): boolean {
  // Also what is folded has a place in the page.
  const rows = [...document.querySelectorAll<HTMLElement>(`main :is(${ROWS}, ${FORM})`)].filter((row) =>
    row.checkVisibility(),
  );
  const row = rows.find((each) => each.closest('tr.current')) ?? rows[0];
  if (!row) return false;
  event?.preventDefault();
  row.focus();
  return true;
}

function KeyList({ views, close }: { views: readonly KeyedView[]; close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const keys: readonly (readonly [keys: readonly string[], words: string])[] = [
    [['/'], 'to the filter'],
    [['↓', 'j'], 'into the list or form, and to the next row'],
    [['↑', 'k'], 'to the row before'],
    [['Enter'], 'opens a row'],
    [['Esc'], 'leaves the field, closes the detail'],
    [['Space'], 'pauses the live events'],
    [['Ctrl S'], 'publishes the draft of the catalog'],
    [['Alt T'], 'to the next translation of what is edited'],
    [['?'], 'this list'],
    ...views.map(({ key, title }) => [['g', key], title] as const),
  ];
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {keys.map(([each, words]) => (
          <div>
            <dt>
              {each.map((key) => (
                <kbd>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
