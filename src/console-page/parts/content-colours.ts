/** Colours of contents, by their names in the style sheet, which colour-blind eyes tell apart too. */
const COLOURS = 8;
/** Most contents whose colours are kept. */
const KEPT = 500;
const KEY = 'svc-console-content-colours';
const given = new Map<string, number>(kept());

function kept(): [string, number][] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    if (!Array.isArray(found)) return [];
    return found.flatMap((id, i) => (typeof id === 'string' ? [[id, i % COLOURS] as [string, number]] : []));
  } catch {
    return [];
  }
}

/**
 * The colour of a content, the same in every chart, and when the page is opened again: colours are given in the order in
 * which contents are first shown, and come again after the last.
 */
export function colourOf(contentId: string): string {
  const known = given.get(contentId);
  if (known !== undefined) return `c${known + 1}`;
  const next = given.size % COLOURS;
  if (given.size < KEPT) {
    given.set(contentId, next);
    try {
      localStorage.setItem(KEY, JSON.stringify([...given.keys()]));
    } catch {
      // Without storage, a colour lasts as long as the page.
    }
  }
  return `c${next + 1}`;
}
