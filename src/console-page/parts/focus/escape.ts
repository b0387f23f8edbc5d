import { useDocumentKey } from './document-key.ts';

/** What Escape closes by itself, and fields, in which it is for the field. */
const OWN = 'dialog[open], :popover-open, input:not([type="radio"], [type="checkbox"]):focus, textarea:focus';

/** Closes a detail by Escape, unless that key is for something above it. The one rule of all details; undefined where there is none. */
export function useEscape(close: (() => void) | undefined): void {
  useDocumentKey((event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !close) return;
    if (document.querySelector(OWN) !== null) return;
    event.preventDefault();
    close();
  });
}
