import type { CatalogIssue } from '../../service/catalog/issue.ts';
import { catalogIssues } from '../../service/catalog/parse.ts';

/** The errors of a catalog, by the rules of the service that ships with svc. */
export const issuesOf = (catalog: unknown): CatalogIssue[] => catalogIssues(catalog);
