/** A place in a list that is ordered by time and identifier. */
export interface Place {
  /** Unix ms. */
  readonly at: number;
  readonly id: string;
}

/** The place that `next` of the page before named; undefined for the first page. */
export function placeOf(after: string | undefined): Place | undefined {
  if (after === undefined) return undefined;
  const [at, id] = after.split('.') as [string, string];
  return { at: Number(at), id };
}

/** What goes into `after` for the page that follows this one; nothing where none does. */
export function nextAfter({ more }: { readonly more: boolean }, last: Place | undefined): { next?: string } {
  return more && last ? { next: `${last.at}.${last.id}` } : {};
}
