import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { CopyCommand } from './command.tsx';
import { Icon } from './icons.tsx';
import { Time } from './time.tsx';

/** The head of a view: its title, a line about it, and its actions (refresh, copy as a command, and others). */
export function ViewHead(props: {
  title: string;
  summary?: ComponentChildren;
  command?: string;
  refresh?: () => void;
  /** When what is shown was read, Unix ms. Given as undefined before: its place is kept, so that nothing jumps. */
  readAt?: number | undefined;
  /** How often it is read again, in ms. */
  every?: number;
  actions?: ComponentChildren;
}): VNode {
  const { title, summary, command, refresh, readAt, every, actions } = props;
  useEffect(() => {
    document.title = `${title} · svc console`;
  }, [title]);
  return (
    <header class="view-head">
      <div>
        <h1 id="view-title" tabIndex={-1}>
          {title}
        </h1>
        {/* Its line is there before its words, so that nothing jumps. */}
        {summary !== undefined && <p class="summary">{summary || '\u00a0'}</p>}
      </div>
      <div class="actions">
        {actions}
        {'readAt' in props && (
          <span class="note read-at">
            <span
              style={{ visibility: readAt === undefined ? 'hidden' : undefined }}
              title={
                every === undefined
                  ? undefined
                  : 'A list is read again while it is at its top and nothing in it has the focus.'
              }
            >
              read at <Time at={readAt ?? Date.now()} />
              {every !== undefined && `, again every ${Math.round(every / 1000)} s`}
            </span>
          </span>
        )}
        {refresh && (
          <button type="button" onClick={refresh}>
            <Icon name="refresh" /> Refresh
          </button>
        )}
        {command && <CopyCommand line={command} />}
      </div>
    </header>
  );
}

/** A titled box of a view. */
export function Box(props: {
  title: ComponentChildren;
  /** What it is called where the title is more than a text. */
  label?: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}): VNode {
  const { title, label = typeof title === 'string' ? title : undefined } = props;
  return (
    <section class="box" aria-label={label}>
      <h2>{title}</h2>
      {props.note !== undefined && <p class="note">{props.note}</p>}
      {props.children}
    </section>
  );
}
