import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Calls `onKey`, as it is in the latest drawing, for each key that is pressed anywhere on the page.
 * @param capture true to come before what listens to the element that has the focus
 */
export function useDocumentKey(onKey: (event: KeyboardEvent) => void, capture = false): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  // With the drawing, not a frame after it, so that a key pressed at once is not lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    document.addEventListener('keydown', listen, capture);
    return () => document.removeEventListener('keydown', listen, capture);
  }, [capture]);
}
