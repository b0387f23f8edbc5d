import { sanitizeJson } from './sanitize.ts';
import { type Column, table } from './table.ts';
import { dim, Rendered, render, type Text, yellow } from './text.ts';
import type { Output as Stream, World } from './world.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** What a command says: results on stdout, everything else on stderr; text cleaned, colour only on a terminal. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly #world: World;

  constructor(world: World, { json, quiet }: OutputOptions) {
    this.#world = world;
    this.json = json;
    this.quiet = quiet;
  }

  /** The result of a command that gives one: a JSON document under --json, else what `show` makes of it. */
  result(value: unknown, show: () => Text): void {
    this.#write(
      this.#world.stdout,
      this.json
        ? sanitizeJson(value, this.isTerminal ? 2 : undefined)
        : this.#text(this.#world.stdout, show()),
    );
  }

  /** One result of a stream: an NDJSON line under --json. */
  line(value: unknown, show: () => Text): void {
    this.#write(this.#world.stdout, this.json ? sanitizeJson(value) : this.#text(this.#world.stdout, show()));
  }

  /** Bytes of a result as they are: for commands whose purpose is exactness. */
  raw(bytes: string | Uint8Array): void {
    this.#world.stdout.write(bytes);
  }

  /** A table as Text for `result`: fitted to the terminal, without frames in a pipe. */
  table(columns: readonly Column[], rows: readonly (readonly Text[])[]): Text {
    const color = this.colors(this.#world.stdout);
    return new Rendered(table(columns, rows, { width: this.columns, color }));
  }

  /** For people who watch: nothing under --quiet. */
  notice(text: Text): void {
    if (!this.quiet) this.#write(this.#world.stderr, this.#text(this.#world.stderr, dim(text)));
  }

  /** What may need an action; also under --quiet. */
  warn(text: Text): void {
    this.#write(this.#world.stderr, this.#text(this.#world.stderr, [yellow('warning: '), text]));
  }

  /** Plain text to stderr that belongs to the command's purpose (a debug line, the limits asked for). */
  info(text: Text): void {
    this.#write(this.#world.stderr, this.#text(this.#world.stderr, text));
  }

  /** True when results go to a terminal. */
  get isTerminal(): boolean {
    return this.#world.stdout.isTTY === true;
  }

  /** Width of the terminal that results go to; undefined where they go elsewhere. */
  get columns(): number | undefined {
    return this.isTerminal ? (this.#world.stdout.columns ?? 80) : undefined;
  }

  colors(stream: Stream): boolean {
    return wantsColor(this.#world, stream);
  }

  #text(stream: Stream, text: Text): string {
    return render(text, this.colors(stream));
  }

  #write(stream: Stream, text: string): void {
    stream.write(`${text}\n`);
  }
}

/** Whether a stream takes colour: NO_COLOR and FORCE_COLOR first, then whether it is a terminal. */
export function wantsColor({ env }: Pick<World, 'env'>, stream: Stream): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}
