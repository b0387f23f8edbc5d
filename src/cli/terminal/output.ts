import { documentOf, type Listing, tableOf } from './listing.ts';
import { sanitizeJson } from './sanitize.ts';
import { type Column, table } from './table.ts';
import { dim, Rendered, render, type Text, yellow } from './text.ts';
import type { Output as Stream, World } from './world.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The output of a command: results on stdout, everything else on stderr; text is sanitized, color only on a terminal. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly #world: World;

  constructor(world: World, { json, quiet }: OutputOptions) {
    this.#world = world;
    this.json = json;
    this.quiet = quiet;
  }

  /** Writes the result of a command: JSON under --json, otherwise the text of `show`. */
  result(value: unknown, show: () => Text): void {
    this.#write(
      this.#world.stdout,
      this.json
        ? sanitizeJson(value, this.isTerminal ? 2 : undefined)
        : this.#text(this.#world.stdout, show()),
    );
  }

  /** Writes one result of a stream: a line of NDJSON under --json. */
  line(value: unknown, show: () => Text): void {
    this.#write(this.#world.stdout, this.json ? sanitizeJson(value) : this.#text(this.#world.stdout, show()));
  }

  /** Writes a result unchanged, for commands whose output must be exact. */
  raw(bytes: string | Uint8Array): void {
    this.#world.stdout.write(bytes);
  }

  /** Renders a table for `result`: fitted to the terminal, without borders in a pipe. */
  table(columns: readonly Column[], rows: readonly (readonly Text[])[]): Text {
    const color = this.colors(this.#world.stdout);
    return new Rendered(table(columns, rows, { width: this.columns, color }));
  }

  /** Writes a list as the result: a table, or a JSON document. `selected` are the fields that --fields names, if any. */
  list<Row extends object>(listing: Listing<Row>, selected: readonly string[] | undefined): void {
    this.result(documentOf(listing, selected), () => this.rows(listing, selected));
  }

  /** Renders a list as a table for `result`. */
  rows<Row extends object>(
    listing: Pick<Listing<Row>, 'rows' | 'fields' | 'empty'>,
    selected: readonly string[] | undefined,
  ): Text {
    if (listing.rows.length === 0) return listing.empty;
    const { columns, cells } = tableOf(listing, selected);
    return this.table(columns, cells);
  }

  /** Writes a notice on stderr, except under --quiet. */
  notice(text: Text): void {
    if (!this.quiet) this.#write(this.#world.stderr, this.#text(this.#world.stderr, dim(text)));
  }

  /** Writes a warning on stderr, except under --quiet. */
  warn(text: Text): void {
    if (!this.quiet)
      this.#write(this.#world.stderr, this.#text(this.#world.stderr, [yellow('warning: '), text]));
  }

  /** Writes requested text on stderr, such as debug lines or rate limits, also under --quiet. */
  info(text: Text): void {
    this.#write(this.#world.stderr, this.#text(this.#world.stderr, text));
  }

  /** Whether stdout is a terminal. */
  get isTerminal(): boolean {
    return this.#world.stdout.isTTY === true;
  }

  /** The width of the terminal; undefined where stdout is not a terminal. */
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

/** Returns whether to color a stream: NO_COLOR and FORCE_COLOR take precedence over whether it is a terminal. */
function wantsColor({ env }: Pick<World, 'env'>, stream: Stream): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}
