/** A position in a list that is ordered by time and identifier. */
export interface Place {
  /** Unix ms. */
  readonly at: number;
  readonly id: string;
}

/** Parses the `after` parameter, which is `next` of the page before; undefined for the first page. */
export function placeOf(after: string | undefined): Place | undefined {
  if (after === undefined) return undefined;
  const [at, id] = after.split('.') as [string, string];
  return { at: Number(at), id };
}

/** The `next` field of a page: the `after` parameter of the following page, absent on the last page. */
export function nextAfter({ more }: { readonly more: boolean }, last: Place | undefined): { next?: string } {
  return more && last ? { next: `${last.at}.${last.id}` } : {};
}
