import stringWidth from 'string-width';
import type { Output } from './world.ts';

const ESCAPE = '\u001b';

/** Draws text over what it drew before, on a terminal that may have been resized in between. */
export class Redraw {
  readonly #stream: Output;
  #drawn: string[] = [];

  constructor(stream: Output) {
    this.#stream = stream;
  }

  draw(text: string): void {
    // A narrower terminal has wrapped the lines that are on it: they fill more rows than were written.
    const columns = Math.max(1, this.#stream.columns ?? 80);
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)),
      0,
    );
    const up = rows > 0 ? `${ESCAPE}[${rows}A\r` : '';
    // Line by line over the old ones: erased all at once, the screen would flicker and fill the scrollback.
    const lines = text.split('\n').map((line) => `${line}${ESCAPE}[K\n`);
    this.#stream.write(`${up}${lines.join('')}${ESCAPE}[0J`);
    this.#drawn = text.split('\n');
  }
}
