import stringWidth from 'string-width';

/**
 * Wraps text between words to lines of at most `columns`, each with the indent. A word that is wider gets its own line.
 * Without `columns` the text stays on one line.
 */
export function wrap(text: string, columns: number | undefined, indent = ''): string[] {
  if (columns === undefined) return [indent + text];
  return fillLines(text.split(' '), columns - stringWidth(indent)).map((line) => indent + line);
}

/** Joins words with spaces into lines of at most `columns`; a wider word gets a line to itself. */
export function fillLines(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    const longer: string = line ? `${line} ${word}` : word;
    if (line && stringWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === undefined ? lines : [...lines, line];
}
