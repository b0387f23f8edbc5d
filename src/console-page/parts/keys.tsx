import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
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

/** Keys that work everywhere: `/` to the filter, `g` and a letter to a view, `?` for the list of them. */
export function Keys({ views }: { views: readonly KeyedView[] }): VNode {
  const { query, route } = useLocation();
  const [listed, setListed] = useState(false);
  const latest = useRef(views);
  latest.current = views;
  const range = useRef('');
  range.current = keptRange(query);
  useEffect(() => {
    let since = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping()) return;
      if (event.key === '/') {
        const input = document.querySelector<HTMLElement>(
          'main :is(input[type="search"], input[type="text"])',
        );
        if (!input) return;
        event.preventDefault();
        input.focus();
      } else if (event.key === '?') setListed(true);
      else if (event.key === 'g') since = event.timeStamp;
      else if (event.timeStamp - since < SECOND_KEY_MS) {
        since = 0;
        const view = latest.current.find(({ key }) => key === event.key);
        if (view) route(`${view.path}${range.current}`);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [route]);
  return <>{listed && <KeyList views={views} close={() => setListed(false)} />}</>;
}

/** True while what is typed goes into a field, or a dialog is open. */
const isTyping = (): boolean =>
  document.activeElement?.matches(
    'input:not([type="radio"], [type="checkbox"]), textarea, select, dialog, dialog *',
  ) ?? false;

function KeyList({ views, close }: { views: readonly KeyedView[]; close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const keys: readonly (readonly [keys: readonly string[], words: string])[] = [
    [['/'], 'to the filter'],
    [['↑', '↓'], 'from row to row of a list'],
    [['Enter'], 'opens a row'],
    [['Esc'], 'closes the detail'],
    [['Space'], 'pauses the live events'],
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
