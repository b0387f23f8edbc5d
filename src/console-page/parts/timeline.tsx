import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useArrowKeys } from './focus/arrow-keys.ts';
import { Icon, type IconName } from './icons.tsx';
import { dayWords, Time } from './time.tsx';

export interface TimelineItem {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  /** What it is, in a word: read before the rest. */
  readonly kind: string;
  readonly title: ComponentChildren;
  readonly body?: ComponentChildren;
}

/** What happened, newest first, with `byDay` under each day. The arrow keys walk it, and Enter opens what an entry leads to. */
export function Timeline(props: { label: string; items: readonly TimelineItem[]; byDay?: boolean }): VNode {
  const { label, items, byDay = false } = props;
  const list = useRef<HTMLDivElement>(null);
  useArrowKeys(list, '.timeline > li');
  const open = ({ key, target }: KeyboardEvent) => {
    if (key === 'Enter' && target instanceof HTMLLIElement)
      target.querySelector<HTMLElement>('a, summary')?.click();
  };
  return (
    <div class="days" ref={list}>
      {(byDay ? daysOf(items) : [{ day: undefined, items }]).map((each) => (
        <div key={each.day}>
          {each.day !== undefined && <h3>{each.day}</h3>}
          <ol
            class="timeline"
            aria-label={each.day === undefined ? label : `${label}, ${each.day}`}
            onKeyDown={open}
          >
            {each.items.map(({ key, at, icon, kind, title, body }) => (
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
                <Time at={at} millis ofDay={byDay} />
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}

function daysOf(items: readonly TimelineItem[]): { day: string; items: TimelineItem[] }[] {
  const days: { day: string; items: TimelineItem[] }[] = [];
  for (const item of items) {
    const day = dayWords(item.at);
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}
