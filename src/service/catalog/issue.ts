/** An error in a catalog file: its path, such as `contents[2].format`, and what is wrong. */
export interface CatalogIssue {
  readonly path: string;
  readonly message: string;
}
