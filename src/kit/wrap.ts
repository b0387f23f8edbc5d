import stringWidth from 'string-width';

/**
 * Wraps text between words to lines of at most `columns`, each with the indent. A word that is wider gets its own line.
 * Without `columns` the text stays on one line.
 */
export function wrap(text: string, columns: number | undefined, indent = ''): string[] {
  if (columns === undefined) return [indent + text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(indent + longer) > columns) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  lines.push(indent + line);
  return lines;
}
