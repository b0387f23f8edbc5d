import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** True while what is typed goes into a field, or a dialog is open. */
export const isTyping = (): boolean =>
  document.activeElement?.matches(
    'input:not([type="radio"], [type="checkbox"]), textarea, select, dialog, dialog *',
  ) ?? false;

/** The links of rows that have a detail, and the entries of a timeline. */
export const ROWS = ':is(tbody th :is(a, button), .timeline > li)';

/** Which way a key leads through a list: 1, -1, or 0 for none. */
const stepOf = ({ key, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): number =>
  ctrlKey || metaKey || altKey || defaultPrevented
    ? 0
    : key === 'ArrowDown' || key === 'j'
      ? 1
      : key === 'ArrowUp' || key === 'k'
        ? -1
        : 0;

/**
 * Moves the focus with the arrow keys, or j and k, between the elements of a list that `selector` finds, such as the links of
 * its rows, also from another control of such a row.
 */
export function useArrowKeys(list: RefObject<HTMLElement | null>, selector: string): void {
  useEffect(() => {
    const element = list.current!;
    const onKey = (event: KeyboardEvent) => {
      const step = stepOf(event);
      if (step === 0 || isTyping()) return;
      const stops = [...element.querySelectorAll<HTMLElement>(selector)];
      const here = document.activeElement;
      const row = here?.closest('tr, li');
      const at = stops.findIndex((stop) => stop === here || stop.closest('tr, li') === row);
      const next = at === -1 ? undefined : stops[at + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [list, selector]);
}
