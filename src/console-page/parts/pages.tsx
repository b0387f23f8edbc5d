import type { ComponentChildren, VNode } from 'preact';
import type { Pages } from '../data/resource.ts';
import { Failure, Loading } from './states.tsx';
import { Time } from './time.tsx';

/** A list that is loaded page by page: what stands in for it while it is loaded, fails or is empty, and `Show more`. */
export function PagedList<T>(props: {
  what: string;
  pages: Pages<T>;
  empty: VNode;
  children: (items: readonly T[]) => ComponentChildren;
}): VNode {
  const { what, pages, empty, children } = props;
  const { items, error, loading, more, reload } = pages;
  if (items.length === 0 && error) return <Failure error={error} retry={reload} />;
  if (items.length === 0 && loading) return <Loading what={what} />;
  return (
    <>
      {error && <Failure error={error} retry={more ?? reload} />}
      {items.length === 0 ? empty : children(items)}
      {more && (
        <button type="button" class="more" onClick={more} disabled={loading}>
          {loading ? 'Loading…' : items.length === 0 ? 'Search further' : 'Show more'}
        </button>
      )}
    </>
  );
}

/** Says that older entries are gone, at the end of a list that reaches back to them. */
export function Removed({ what, before }: { what: string; before: string | undefined }): VNode | null {
  if (before === undefined) return null;
  return (
    <p class="note">
      The service has removed {what} from before <Time at={before} />.
    </p>
  );
}
