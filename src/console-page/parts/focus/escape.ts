import { useLayoutEffect, useRef } from 'preact/hooks';

/** What Escape closes by itself, and fields, in which it is for the field. */
const OWN = 'dialog[open], :popover-open, input:not([type="radio"], [type="checkbox"]):focus, textarea:focus';

/** Closes a detail by Escape, unless that key is for something above it. The one rule of all details; undefined where there is none. */
export function useEscape(close: (() => void) | undefined): void {
  const latest = useRef(close);
  latest.current = close;
  // With the drawing, not a frame after it, so that a second Escape pressed at once is not lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !latest.current) return;
      if (document.querySelector(OWN) !== null) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
