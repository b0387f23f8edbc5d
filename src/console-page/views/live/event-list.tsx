import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ROWS, useArrowKeys } from '../../parts/focus/arrow-keys.ts';
import { bytes } from '../../parts/numbers.ts';
import { useRowClicks } from '../../parts/table.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import type { LiveEvent } from './live-feed.ts';
import { propertyText } from './property-text.ts';

/** Height of a row in pixels; the style sheet says the same. */
const ROW = 33;
/** Rows beyond the visible ones, so that arrow keys find the next one. */
const SPARE = 8;
/** Properties that a row shows. */
const MAX_SHOWN = 8;

/**
 * The events, newest first. Only the rows in view are in the document, so that any rate can be followed. The list keeps
 * its place while it is scrolled down. Arrow keys move between rows; `held` is called when one gets the focus.
 */
export function EventList(props: {
  rows: readonly LiveEvent[];
  current: string | undefined;
  open: (event: LiveEvent) => void;
  held: () => void;
}): VNode {
  const { rows, current, open, held } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const newest = useRef<string | undefined>(undefined);

  const look = () => {
    const { scrollTop: top, clientHeight: height } = box.current!;
    setView((last) => (last.top === top && last.height === height ? last : { top, height }));
  };
  useLayoutEffect(() => {
    const element = box.current!;
    const added = rows.findIndex(({ id }) => id === newest.current);
    newest.current = rows[0]?.id;
    if (added > 0 && element.scrollTop > 0) element.scrollTop += added * ROW;
    look();
  }, [rows]);
  useLayoutEffect(() => {
    const resized = new ResizeObserver(look);
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);

  useRowClicks(box);
  useArrowKeys(box, ROWS);
  const latest = useRef(held);
  latest.current = held;
  useLayoutEffect(() => {
    const element = box.current!;
    const onFocus = () => latest.current();
    element.addEventListener('focusin', onFocus);
    return () => element.removeEventListener('focusin', onFocus);
  }, []);

  const first = Math.max(0, Math.floor(view.top / ROW) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + SPARE);
  return (
    <div class="table events" ref={box} onScroll={look}>
      <div style={{ paddingTop: `${first * ROW}px`, paddingBottom: `${(rows.length - last) * ROW}px` }}>
        <table aria-label="Events" aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              <th scope="col">Received</th>
              <th scope="col">Event</th>
              <th scope="col">User</th>
              <th scope="col" class="wide">
                Properties
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(first, last).map((event) => (
              <tr key={event.id} class={event.id === current ? 'current' : undefined}>
                <th scope="row">
                  <button type="button" class="quiet" onClick={() => open(event)}>
                    <Time at={event.receivedAt} millis />
                  </button>
                </th>
                <td>
                  <strong>
                    <Cut of={event.event} />
                  </strong>
                </td>
                <td>
                  {event.hashId && (
                    <a href={`/users/${event.hashId}`}>
                      <Id of={event.hashId} short={8} />
                    </a>
                  )}
                </td>
                <td class="wide pairs">
                  <Pairs event={event} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Pairs({ event }: { event: LiveEvent }): VNode {
  if (event.leftOut !== undefined) return <span class="note">{bytes(event.leftOut)}, not shown</span>;
  const pairs = Object.entries(event.properties ?? {});
  return (
    <>
      {pairs.slice(0, MAX_SHOWN).map(([name, value]) => (
        <span>
          <span class="note">
            <Text of={name.slice(0, 60)} />
          </span>{' '}
          <Text of={propertyText(value).slice(0, 120)} />
        </span>
      ))}
      {pairs.length > MAX_SHOWN && <span class="note">and {pairs.length - MAX_SHOWN} more</span>}
    </>
  );
}
