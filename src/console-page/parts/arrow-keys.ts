import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Moves the focus with the arrow keys between the elements of a list that `selector` finds, such as the links of its rows. */
export function useArrowKeys(list: RefObject<HTMLElement | null>, selector: string): void {
  useEffect(() => {
    const element = list.current!;
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0) return;
      const stops = [...element.querySelectorAll<HTMLElement>(selector)];
      const at = stops.indexOf(document.activeElement as HTMLElement);
      const next = at === -1 ? undefined : stops[at + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [list, selector]);
}
