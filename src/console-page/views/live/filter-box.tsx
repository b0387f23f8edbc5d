import type { VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { MAX_FILTER, parseFilter } from '../../../kit/event-filter/parse.ts';

/**
 * The filter of the view. What is wrong is said while it is typed; it takes effect on Enter or when it is left, if it is
 * valid.
 */
export function FilterBox({ filter, apply }: { filter: string; apply: (filter: string) => void }): VNode {
  const id = useId();
  const [draft, setDraft] = useState(filter);
  useEffect(() => setDraft(filter), [filter]);
  const parsed = parseFilter(draft);
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
        {parsed.ok ? '' : `${capital(parsed.message)}, at character ${parsed.at + 1}.`}
      </p>
    </form>
  );
}

/** True while the focus is where keys have a meaning of their own. */
export function isTyping(): boolean {
  return document.activeElement?.matches('input, textarea, select, button, a, dialog *') ?? false;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
