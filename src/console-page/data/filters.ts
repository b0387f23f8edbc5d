import { useLocation } from 'preact-iso/router';
import { search } from './api.ts';

/** The filters of a view: the query of its URL, so that a link, a reload and the back button keep them. */
export interface Filters {
  readonly values: Readonly<Record<string, string>>;
  /** Changes filters; an empty value removes one. Typing replaces the entry of the history, a choice adds one. */
  readonly set: (changes: Readonly<Record<string, string>>, replace?: boolean) => void;
  /** The query string, to be added to links that keep the filters. */
  readonly search: string;
}

export function useFilters(): Filters {
  const { path, query, route } = useLocation();
  return {
    values: query,
    set: (changes, replace = false) => route(`${path}${search({ ...query, ...changes })}`, replace),
    search: search(query),
  };
}

/** Returns the part of the path after a view's own, decoded: what the detail shows. Undefined where there is none. */
export function usePathPart(view: string): string | undefined {
  const { path } = useLocation();
  const part = path.slice(view.length + 1);
  if (part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
