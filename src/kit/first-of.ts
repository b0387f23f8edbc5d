/** The first of some texts, at most `most`, and how many more there are: `a, b and 7 more`, or `a; b; and 7 more`. */
export function firstOf(texts: readonly string[], most: number, separator: ', ' | '; ' = ', '): string {
  const more = texts.length - most;
  const shown = texts.slice(0, most).join(separator);
  if (more <= 0) return shown;
  return `${shown}${separator === '; ' ? '; ' : ' '}and ${more.toLocaleString('en-US')} more`;
}
