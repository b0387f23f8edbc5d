/** Returns the pages of docs/ in the order of docs/index.md. */
export function pagesInOrder(root: string): { readonly file: string; readonly title: string }[];

/** Returns the last line of a page: the link to the next one. */
export function nextLine(root: string, file: string): string;
