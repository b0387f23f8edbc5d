import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icons.tsx';

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
