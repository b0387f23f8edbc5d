import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Time } from './time.tsx';

/** A list beside the detail of what is chosen in it. Where there is little room, one of the two. */
export function Split(props: { list: ComponentChildren; detail?: ComponentChildren; back: string }): VNode {
  const { list, detail, back } = props;
  const chosen = detail !== undefined;
  return (
    <div class={chosen ? 'split chosen' : 'split'}>
      <div class="list-pane">{list}</div>
      {chosen && (
        <div class="detail-pane">
          <a class="back" href={back}>
            <Icon name="back" /> Back to the list
          </a>
          {detail}
        </div>
      )}
    </div>
  );
}

export interface ListItem {
  readonly key: string;
  readonly href: string;
  readonly at: string;
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly badges?: ComponentChildren;
}

/** Links to details. The arrow keys move between them. */
export function LinkList(props: { label: string; items: readonly ListItem[]; current?: string }): VNode {
  const { label, items, current } = props;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const element = list.current!;
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0) return;
      const links = [...element.querySelectorAll('a')];
      const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, []);
  return (
    <ul class="links" aria-label={label} ref={list}>
      {items.map(({ key, href, at, title, note, badges }) => (
        <li key={key}>
          <a href={href} aria-current={key === current ? 'true' : undefined}>
            <span class="line">
              <span class="title">{title}</span>
              <Time at={at} />
            </span>
            <span class="line">
              <span class="note">{note}</span>
              <span class="badges">{badges}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
