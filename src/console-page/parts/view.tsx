import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { CopyCommand } from './command.tsx';
import { Icon } from './icons.tsx';

/** The head of a view: its title, a line about it, and its actions (refresh, copy as a command, and others). */
export function ViewHead(props: {
  title: string;
  summary?: ComponentChildren;
  command?: string;
  refresh?: () => void;
  actions?: ComponentChildren;
}): VNode {
  const { title, summary, command, refresh, actions } = props;
  useEffect(() => {
    document.title = `${title} · svc console`;
  }, [title]);
  return (
    <header class="view-head">
      <div>
        <h1 id="view-title" tabIndex={-1}>
          {title}
        </h1>
        {summary !== undefined && <p class="summary">{summary}</p>}
      </div>
      <div class="actions">
        {actions}
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
export function Box(props: { title: string; note?: ComponentChildren; children: ComponentChildren }): VNode {
  return (
    <section class="box" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.note !== undefined && <p class="note">{props.note}</p>}
      {props.children}
    </section>
  );
}
