import type { VNode } from 'preact';
import { Time } from '../../parts/time.tsx';

/** Since when figures for all time are counted: the beginning of what is known by time. Nothing where that is nothing. */
export function Since({ series }: { series: readonly { readonly from: string }[] }): VNode | null {
  const [first] = series;
  return first === undefined ? null : (
    <>
      , since <Time at={first.from} />
    </>
  );
}
