/** Colours of contents, by their names in the style sheet, which colour-blind eyes tell apart too. */
const COLOURS = 6;
const given = new Map<string, number>();

/**
 * The colour of a content, the same in every chart: colours are given in the order in which contents are first shown, and
 * come again after the last.
 */
export function colourOf(contentId: string): string {
  const known = given.get(contentId) ?? given.size % COLOURS;
  given.set(contentId, known);
  return `c${known + 1}`;
}
