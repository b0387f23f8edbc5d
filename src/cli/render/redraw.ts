import stringWidth from 'string-width';
import type { Output } from '../world.ts';

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
    this.#stream.write(`${rows > 0 ? `${ESCAPE}[${rows}A\r${ESCAPE}[0J` : ''}${text}\n`);
    this.#drawn = text.split('\n');
  }
}
