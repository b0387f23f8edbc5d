import { useEffect } from 'preact/hooks';

/** How long what was removed may take to give the focus on by itself, in ms. */
const GRACE_MS = 100;

/** Moves the focus to the title of the view. */
export const focusTitle = (): void => document.getElementById('view-title')?.focus({ preventScroll: true });

/** Keeps the focus on the page: where what had it is gone or cannot have it any more, the title of the view gets it. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLost = () => last !== undefined && document.activeElement === document.body;
    const onFocus = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : undefined;
    };
    // A click beside all controls takes the focus away on purpose.
    const onPress = () => {
      last = undefined;
    };
    const settle = () => {
      timer = undefined;
      if (!isLost()) return;
      if (last!.isConnected) last!.focus();
      if (isLost()) focusTitle();
    };
    const changes = new MutationObserver(() => {
      if (timer === undefined && isLost()) timer = setTimeout(settle, GRACE_MS);
    });
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'open'] });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPress, true);
    return () => {
      clearTimeout(timer);
      changes.disconnect();
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPress, true);
    };
  }, []);
}
