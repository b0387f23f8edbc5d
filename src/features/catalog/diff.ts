import { type CatalogDifference, catalogDifferences, type Members } from '../../contract/catalog-changes.ts';

/** A difference between two catalogs, as commands print it: `path` has its names, joined by points. */
export type CatalogChange = Omit<CatalogDifference, 'names'> & { readonly path: string };

/** The changes that lead from one catalog to another, by path; none if and only if they are equal. */
export const catalogChanges = (before: Members, after: Members): CatalogChange[] =>
  catalogDifferences(before, after).map(({ names, ...rest }) => ({ path: names.join('.'), ...rest }));
