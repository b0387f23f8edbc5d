import stringWidth from 'string-width';
import { fillLines } from '../../kit/wrap.ts';
import { bold, render, type Text } from '../terminal/text.ts';

/** A heading with its lines indented by two; empty without lines. */
export function section(title: string, lines: readonly Text[]): Text[] {
  return lines.length === 0
    ? []
    : ['', bold(title), ...lines.map((line): Text => (line === '' ? '' : ['  ', line]))];
}

/**
 * Wraps text to `width` columns. Blank lines separate paragraphs, single line breaks count as spaces, and an indented
 * paragraph is kept unchanged.
 */
export function reflow(text: string, width: number): string[] {
  return text
    .trim()
    .split(/\n[ \t]*\n/)
    .flatMap((paragraph, i) => {
      const lines = /^\s/.test(paragraph) ? paragraph.split('\n') : wrapParagraph(paragraph, width);
      return i === 0 ? lines : ['', ...lines];
    });
}

/** Wraps one paragraph at white space; text in backquotes stays on one line. */
export function wrapParagraph(paragraph: string, width: number): string[] {
  return fillLines(paragraph.match(/(?:`[^`\n]*`|\S)+/g) ?? [], width);
}

/**
 * Breaks a shell command that is wider than `width` so that it can still be pasted: before a pipe, and if necessary
 * before a flag or a redirection, but never inside quotes.
 */
export function shellLines(line: string, width: number): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\$\([^)]*\)|\S)+/g) ?? [];
  const lines = [''];
  for (const command of startingAt(words, /^\|/)) {
    const whole = command.join(' ');
    const parts = startingAt(command, /^(--?[a-z]|[<>])/i).map((part) => part.join(' '));
    for (const part of stringWidth(`    ${whole} \\`) <= width ? [whole] : parts) {
      const last = lines.at(-1)!;
      const longer = last === '' ? part : `${last} ${part}`;
      if (last === '' || stringWidth(`${longer} \\`) <= width) lines[lines.length - 1] = longer;
      else lines.push(`    ${part}`);
    }
  }
  return lines.map((part, i) => (i === lines.length - 1 ? part : `${part} \\`));
}

/** Splits the words before each one that matches. */
function startingAt(words: readonly string[], start: RegExp): string[][] {
  const parts: string[][] = [];
  for (const word of words) {
    if (parts.length === 0 || start.test(word)) parts.push([word]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}

/** Lays out terms and their meanings in two columns; the meaning of a wide term starts on the next line. */
export function definitions(
  pairs: readonly (readonly [term: Text, meaning: string])[],
  width: number,
): Text[] {
  const widths = pairs.map(([term]) => stringWidth(render(term, false)));
  const most = Math.min(30, Math.floor(width * 0.4));
  const column = Math.max(...widths.filter((w) => w <= most), 0) + 2;
  return pairs.flatMap(([term, meaning], i) => {
    const lines = wrapParagraph(meaning, width - column);
    const below = widths[i]! > most;
    const first: Text = below ? term : [term, ' '.repeat(column - widths[i]!), lines[0] ?? ''];
    return [first, ...lines.slice(below ? 0 : 1).map((line) => ' '.repeat(column) + line)];
  });
}
