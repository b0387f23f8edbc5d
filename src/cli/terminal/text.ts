import { sanitize } from './sanitize.ts';

/** Text with styles as data, so that sanitizing and coloring each happen once, in `render`. */
export type Text = string | Span | Rendered | readonly Text[];

export interface Span {
  readonly style: Style;
  readonly text: Text;
}

/** Text that is already sanitized and styled, such as a table. */
export class Rendered {
  readonly rendered: string;
  constructor(rendered: string) {
    this.rendered = rendered;
  }
}

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
type Style = keyof typeof STYLES;

export const bold = (text: Text): Span => ({ style: 'bold', text });
export const dim = (text: Text): Span => ({ style: 'dim', text });
export const red = (text: Text): Span => ({ style: 'red', text });
export const green = (text: Text): Span => ({ style: 'green', text });
export const yellow = (text: Text): Span => ({ style: 'yellow', text });
export const cyan = (text: Text): Span => ({ style: 'cyan', text });

/** Renders text for a stream: sanitizes every string, writes styles as ANSI sequences or omits them. */
export function render(text: Text, color: boolean, sanitizer: (text: string) => string = sanitize): string {
  if (typeof text === 'string') return sanitizer(text);
  if (Array.isArray(text)) return text.map((part) => render(part, color, sanitizer)).join('');
  if (text instanceof Rendered) return text.rendered;
  const span = text as Span;
  const inner = render(span.text, color, sanitizer);
  if (!color) return inner;
  const [on, off] = STYLES[span.style];
  return `\u001b[${on}m${inner}\u001b[${off}m`;
}
