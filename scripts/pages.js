/** The pages of docs/ in their order: that of docs/index.md, where each is an item of a numbered list. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const INDEX = { file: 'index.md', title: 'Documentation, by job' };

/** Returns the pages in their order, with the title that the index gives them. */
export function pagesInOrder(root) {
  const index = readFileSync(join(root, 'docs', INDEX.file), 'utf8');
  return [...index.matchAll(/^\d+\. \[((?:[^\]`]|`[^`]*`)*)\]\(([\w/-]+\.md)\)/gm)].map(
    ([, title, file]) => ({
      file,
      title: title[0].toUpperCase() + title.slice(1),
    }),
  );
}

/** Returns the last line of a page: the link to the next one, or from the last one back to the index. */
export function nextLine(root, file) {
  const pages = pagesInOrder(root);
  const at = pages.findIndex((page) => page.file === file);
  if (at === -1) throw new Error(`docs/index.md does not name ${file}`);
  const { file: next, title } = pages[at + 1] ?? INDEX;
  return `Next: [${title}](${posix.relative(posix.dirname(file), next)})`;
}
