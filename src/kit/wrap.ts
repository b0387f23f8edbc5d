import stringWidth from 'string-width';

/**
 * Breaks text between words so that no line is wider than `columns`, each line indented; a wider word stands alone.
 * Without `columns` it stays on one line.
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
