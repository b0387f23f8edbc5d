import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useArrowKeys } from './focus/arrow-keys.ts';
import { Icon, type IconName } from './icons.tsx';
import { Time } from './time.tsx';

export interface TimelineItem {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  /** What it is, in a word: read before the rest. */
  readonly kind: string;
  readonly title: ComponentChildren;
  readonly body?: ComponentChildren;
}

/** What happened, newest first. The arrow keys walk it, and Enter opens what an entry leads to. */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }): VNode {
  const list = useRef<HTMLOListElement>(null);
  useArrowKeys(list, ':scope > li');
  const open = ({ key, target }: KeyboardEvent) => {
    if (key === 'Enter' && target instanceof HTMLLIElement)
      target.querySelector<HTMLElement>('a, summary')?.click();
  };
  return (
    <ol class="timeline" aria-label={label} ref={list} onKeyDown={open}>
      {items.map(({ key, at, icon, kind, title, body }) => (
        <li key={key} tabIndex={-1}>
          <span class="mark">
            <Icon name={icon} />
          </span>
          <div class="what">
            <p class="title">
              <span class="kind">{kind}</span> {title}
            </p>
            {body !== undefined && <div class="body">{body}</div>}
          </div>
          <Time at={at} millis />
        </li>
      ))}
    </ol>
  );
}
