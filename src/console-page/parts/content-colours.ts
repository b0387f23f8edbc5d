/** Colours of contents, by their names in the style sheet, which colour-blind eyes tell apart too. */
const COLOURS = 8;
/** Marks over a colour that comes again: the first has none. */
const MARKS = 4;
const KEY = 'svc-console-content-colours';
/** The contents that have a colour with its mark, in the order of these; a content has the same when the page is opened again. */
const given: string[] = kept();
/** Those that were seen since the page was opened: the others give theirs away once there is none left. */
const seen = new Set<string>();

function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    if (!Array.isArray(found)) return [];
    return found.filter((id) => typeof id === 'string').slice(0, COLOURS * MARKS);
  } catch {
    return [];
  }
}

/**
 * The classes of a content's colour and its mark, the same in every chart. No two contents have the same; those that are left
 * once all are given are `other`.
 */
export function colourOf(contentId: string): string {
  let at = given.indexOf(contentId);
  if (at < 0) {
    at = given.length < COLOURS * MARKS ? given.length : given.findIndex((id) => !seen.has(id));
    if (at < 0) return 'other';
    given[at] = contentId;
    try {
      localStorage.setItem(KEY, JSON.stringify(given));
    } catch {
      // Without storage, a colour lasts as long as the page.
    }
  }
  seen.add(contentId);
  const mark = Math.floor(at / COLOURS) + 1;
  return `c${(at % COLOURS) + 1}${mark > 1 ? ` m${mark}` : ''}`;
}
