import stringWidth from 'string-width';
import type { Output } from './world.ts';

const ESCAPE = '\u001b';

/** Draws text over the previous text, on a terminal that may have been resized in between. */
export class Redraw {
  readonly #stream: Output;
  #drawn: string[] = [];

  constructor(stream: Output) {
    this.#stream = stream;
  }

  draw(text: string): void {
    // Erasing everything first would make the screen flicker and fill the scrollback.
    const lines = text.split('\n').map((line) => `${line}${ESCAPE}[K\n`);
    this.#stream.write(`${this.#up()}${lines.join('')}${ESCAPE}[0J`);
    this.#drawn = text.split('\n');
  }

  /** Removes what was drawn, so that other text can follow. */
  clear(): void {
    if (this.#drawn.length === 0) return;
    this.#stream.write(`${this.#up()}${ESCAPE}[0J`);
    this.#drawn = [];
  }

  /** Moves to the beginning of what was drawn. */
  #up(): string {
    // A terminal that became narrower has wrapped the drawn lines into more rows.
    // A terminal that does not know its width says 0.
    const columns = this.#stream.columns || 80;
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)),
      0,
    );
    return rows > 0 ? `${ESCAPE}[${rows}A\r` : '';
  }
}
