import type { VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MAX_FILTER, parseFilter } from '../../../kit/event-filter/parse.ts';

/** How long typing pauses before a filter takes effect, in ms. */
const PAUSE_MS = 600;

/**
 * The filter of the view. What is wrong is said while it is typed; it takes effect on Enter, when it is left or when typing
 * pauses, if it is valid. `apply` is told whether it may still be typed on.
 */
export function FilterBox(props: {
  filter: string;
  apply: (filter: string, replace?: boolean) => void;
}): VNode {
  const { filter, apply } = props;
  const id = useId();
  const [draft, setDraft] = useState(filter);
  // What was applied during a pause must not replace what was typed since.
  const applied = useRef(filter);
  useEffect(() => {
    if (filter !== applied.current) setDraft(filter);
    applied.current = filter;
  }, [filter]);
  const parsed = parseFilter(draft);
  useEffect(() => {
    if (!parsed.ok || draft.trim() === filter) return;
    const paused = setTimeout(() => {
      applied.current = draft.trim();
      apply(applied.current, true);
    }, PAUSE_MS);
    return () => clearTimeout(paused);
  }, [draft, filter]);
  return (
    <form
      class="live-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.ok) apply(draft.trim());
      }}
    >
      <label for={id}>Filter</label>
      <input
        id={id}
        type="text"
        spellcheck={false}
        autocomplete="off"
        maxLength={MAX_FILTER}
        placeholder='user:u_1037  amount>100  -source:web  "any words"'
        aria-invalid={!parsed.ok}
        aria-describedby={`${id}-note`}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => parsed.ok && apply(draft.trim())}
      />
      <p id={`${id}-note`} class={parsed.ok ? 'note' : 'note wrong'} role="status">
        {parsed.ok ? HELP : `${capital(parsed.message)}, at character ${parsed.at + 1}.`}
      </p>
    </form>
  );
}

/** What a filter is made of. */
const HELP =
  'Terms that must all be true: user:hashId event:name a property with : < or >, - before what must not be, "words" anywhere.';

/** True while the focus is where keys have a meaning of their own. */
export function isTyping(): boolean {
  return document.activeElement?.matches('input, textarea, select, button, a, dialog *') ?? false;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
