/** Draws the text of a terminal with its colors as SVG: selectable text, light and dark. */

const CELL = { width: 8.4, height: 18, font: 14 };
const PAD = 16;
const BAR = 32;

/** The colors of the styles, for dark and light mode. */
const THEMES = {
  dark: {
    page: '#16181d',
    edge: '#2b2f38',
    text: '#d7dae0',
    dim: '#8b919c',
    red: '#f07178',
    green: '#8fce7a',
    yellow: '#e5c07b',
    blue: '#6cb2f5',
    magenta: '#c792ea',
    cyan: '#62c8d3',
  },
  light: {
    page: '#fbfbfa',
    edge: '#dcdcd8',
    text: '#24292f',
    dim: '#6b7280',
    red: '#b42318',
    green: '#23711f',
    yellow: '#8a5a00',
    blue: '#0b5cad',
    magenta: '#7c3aa8',
    cyan: '#0b6b78',
  },
};
const COLOURS = { 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan', 90: 'dim' };

/**
 * @param {string} screen lines with SGR sequences, as `tmux capture-pane -e` gives them
 * @param {{ columns: number, title: string }} options
 */
export function screenToSvg(screen, { columns, title }) {
  // A style continues on the next line.
  const style = { bold: false, colour: undefined };
  const lines = screen
    .trimEnd()
    .split('\n')
    .map((line) => spansOf(line, style));
  const width = Math.ceil(columns * CELL.width + 2 * PAD);
  const height = lines.length * CELL.height + 2 * PAD + BAR;
  const rows = lines.map((spans, row) => {
    const y = BAR + PAD + row * CELL.height + CELL.font;
    let column = 0;
    return spans
      .map(({ text, classes }) => {
        const x = PAD + column * CELL.width;
        const length = cellsOf(text);
        column += length;
        if (text.trim() === '') return '';
        // A fixed length keeps columns aligned in any font.
        return `<text x="${round(x)}" y="${y}" textLength="${round(length * CELL.width)}" lengthAdjust="spacingAndGlyphs"${classes.length > 0 ? ` class="${classes.join(' ')}"` : ''} xml:space="preserve">${escaped(text)}</text>`;
      })
      .join('');
  });
  const dots = [0, 1, 2]
    .map((i) => `<circle cx="${PAD + 6 + i * 18}" cy="${BAR / 2 + 2}" r="5" class="dot"/>`)
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)} in a terminal">
<style>
${css(THEMES.dark)}
@media (prefers-color-scheme: light) {
${css(THEMES.light)}
}
text { font: ${CELL.font}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.bold { font-weight: 700; }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" class="page"/>
${dots}
${rows.filter(Boolean).join('\n')}
</svg>
`;
}

/** Splits a line into spans of one style. `style` is updated from the style at its start to that at its end. */
function spansOf(line, style) {
  const spans = [];
  // Text, followed by the sequence that changes the style.
  for (const [, text, codes] of line.matchAll(
    new RegExp(`([^${ESCAPE}]*)(?:${ESCAPE}\\[([\\d;]*)m|$)`, 'g'),
  )) {
    const classes = [...(style.bold ? ['bold'] : []), ...(style.colour ? [style.colour] : [])];
    if (text) spans.push({ text, classes });
    if (codes !== undefined) for (const code of codes.split(';').map(Number)) change(style, code);
  }
  return spans;
}

/** Applies one number of an SGR sequence (ECMA-48). */
function change(style, code) {
  if (code === 0) Object.assign(style, { bold: false, colour: undefined });
  else if (code === 1) style.bold = true;
  else if (code === 2) style.colour = 'dim';
  else if (code === 22)
    Object.assign(style, { bold: false, colour: style.colour === 'dim' ? undefined : style.colour });
  else if (code === 39) style.colour = undefined;
  else if (COLOURS[code]) style.colour = COLOURS[code];
}

const ESCAPE = String.fromCharCode(27);

/** Returns the width of a text in columns. The recorded output has no wide characters. */
function cellsOf(text) {
  return [...text].length;
}

function css(theme) {
  const { page, edge, text, ...colours } = theme;
  return [
    `.page { fill: ${page}; stroke: ${edge}; } .dot { fill: ${edge}; } text { fill: ${text}; }`,
    ...Object.entries(colours).map(([name, colour]) => `.${name} { fill: ${colour}; }`),
  ].join('\n');
}

function round(number) {
  return Math.round(number * 10) / 10;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
