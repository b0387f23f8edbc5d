import type { ComponentChildren, VNode } from 'preact';
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

/** What happened, newest first. */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }): VNode {
  return (
    <ol class="timeline" aria-label={label}>
      {items.map(({ key, at, icon, kind, title, body }) => (
        <li key={key}>
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
