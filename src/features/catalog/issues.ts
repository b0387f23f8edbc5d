import type { CatalogIssue } from '../../service/catalog/issue.ts';
import { catalogIssues, catalogWarnings } from '../../service/catalog/parse.ts';

/** The errors of a catalog, by the rules of the service that ships with svc. */
export const issuesOf = (catalog: unknown): CatalogIssue[] => catalogIssues(catalog);

/** What the catalog may have, but hardly is meant to, at a time in Unix ms. */
export const warningsOf = (catalog: unknown, now: number): CatalogIssue[] => catalogWarnings(catalog, now);
