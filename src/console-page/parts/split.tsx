import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useEscape } from './focus/escape.ts';
import { Icon } from './icons.tsx';

/**
 * A list beside the detail of what is chosen in it. Where there is little room, one of the two. Escape closes the detail,
 * and its row gets the focus.
 */
export function Split(props: {
  list: ComponentChildren;
  detail?: ComponentChildren;
  back: string;
  /** Where `back` leads, if that is not the list. */
  to?: string;
}): VNode {
  const { list, detail, back, to = 'the list' } = props;
  const { route } = useLocation();
  const pane = useRef<HTMLDivElement>(null);
  const chosen = detail !== undefined;
  const close = () => {
    pane.current?.querySelector<HTMLElement>('tr.current th :is(a, button)')?.focus();
    route(back);
  };
  useEscape(chosen ? close : undefined);
  return (
    <div class={chosen ? 'split chosen' : 'split'}>
      <div class="list-pane" ref={pane}>
        {list}
      </div>
      {chosen && (
        <div class="detail-pane">
          <a class="back" href={back}>
            <Icon name="back" /> Back to {to}
          </a>
          <button
            type="button"
            class="close icon-only quiet"
            aria-label="Close the detail"
            title="Esc"
            onClick={close}
          >
            <Icon name="close" />
          </button>
          {detail}
        </div>
      )}
    </div>
  );
}
