import { bytesText } from '../../../cli/terminal/bytes.ts';
import { Redraw } from '../../../cli/terminal/redraw.ts';
import { span } from '../../../cli/terminal/time.ts';
import type { Output } from '../../../cli/terminal/world.ts';
import type { Clock } from '../../../kit/clock.ts';

const REDRAW_MS = 200;
const LINE_MS = 10_000;

interface Options {
  readonly stream: Output;
  readonly clock: Clock;
  readonly quiet: boolean;
  /** The name of the file. */
  readonly file: string;
}

/** Shows how far a download is, on standard error: a line that is redrawn on a terminal, else one every 10 s. */
export class DownloadProgress {
  readonly #options: Options;
  readonly #redraw: Redraw | undefined;
  #began: { readonly at: number; readonly bytes: number } | undefined;
  #shownAt: number;

  constructor(options: Options) {
    this.#options = options;
    this.#redraw = options.stream.isTTY ? new Redraw(options.stream) : undefined;
    this.#shownAt = options.clock.now();
  }

  /** `size` is null while it is not known. */
  update(bytes: number, size: number | null): void {
    const { clock, quiet, stream } = this.#options;
    const now = clock.now();
    this.#began ??= { at: now, bytes };
    if (quiet || now - this.#shownAt < (this.#redraw ? REDRAW_MS : LINE_MS)) return;
    this.#shownAt = now;
    const text = this.#text(bytes, size, now);
    if (this.#redraw) this.#redraw.draw(text.slice(0, Math.max(1, (stream.columns ?? 80) - 1)));
    else stream.write(`${text}\n`);
  }

  /** Removes the line, so that others can be written. */
  clear(): void {
    this.#redraw?.clear();
  }

  #text(bytes: number, size: number | null, now: number): string {
    const { at, bytes: before } = this.#began!;
    const speed = ((bytes - before) * 1000) / Math.max(1, now - at);
    const of =
      size === null ? '' : ` of ${bytesText(size)}, ${Math.floor((100 * bytes) / Math.max(1, size))}%`;
    const left =
      size === null || speed === 0 ? '' : `, ${span((Math.max(0, size - bytes) / speed) * 1000)} left`;
    return `downloading ${this.#options.file}: ${bytesText(bytes)}${of}, ${bytesText(Math.round(speed))}/s${left}`;
  }
}
