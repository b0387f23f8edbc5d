const CELLS = 10;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Renders a number from 0 to 1 as a bar of ten cells, in steps of an eighth of a cell; clamps other values. */
export function bar(value: number): string {
  const eighths = Math.round(Math.min(Math.max(value, 0), 1) * CELLS * 8);
  const text = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
  return text.padEnd(CELLS, ' ');
}
