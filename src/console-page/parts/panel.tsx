import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useEscape } from './focus/escape.ts';
import { Icon } from './icons.tsx';

/**
 * The detail of a row, beside the list. It takes the focus when it opens; Escape closes it, and the focus returns to
 * where it was.
 */
export function Panel(props: {
  title: ComponentChildren;
  close: () => void;
  /** What is done with what it shows, beside the title. */
  action?: ComponentChildren;
  children: ComponentChildren;
}): VNode {
  const { title, close, action, children } = props;
  const head = useRef<HTMLHeadingElement>(null);
  useEscape(close);
  useEffect(() => {
    const before = document.activeElement;
    head.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <aside class="panel" aria-label="Detail">
      <header>
        <h2 tabIndex={-1} ref={head}>
          {title}
        </h2>
        {action}
        <button type="button" class="icon-only quiet" aria-label="Close the detail" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  );
}
