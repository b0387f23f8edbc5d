import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Batcher } from '../batch/batcher.ts';
import { longestRecord } from '../batch/request-body.ts';
import { jsonMapper } from '../transform/map-json.ts';
import type { Mapping } from '../transform/mapping.ts';
import type { RecordKind } from '../transform/record-kind.ts';
import { scanEvent } from '../transform/scan-event.ts';
import type { Contents } from './content.ts';
import { type Comparison, type Content, ContentHash, compareContent } from './content.ts';
import { CsvReader } from './csv-reader.ts';
import type { Format } from './detect.ts';
import { NdjsonReader, type RecordReader } from './ndjson-reader.ts';
import { type Input, type OpenPipe, openInput } from './open.ts';
import { linesBefore, linesWithin, type Part, rangeOf } from './range.ts';
import { Spool } from './spool.ts';
import { Window } from './window.ts';

export interface InputOptions {
  readonly names: readonly string[];
  readonly cwd: string;
  readonly kind: RecordKind;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly openPipe?: OpenPipe | undefined;
  readonly format: Format | undefined;
  readonly mapping: Mapping;
  readonly part: Part | undefined;
  readonly onNotice: (text: string) => void;
}

/** One input on its way: what is read, how, and where it begins. */
export interface Feed {
  readonly input: Input;
  readonly window: Window;
  readonly reader: RecordReader;
  /** Offset of the first byte. */
  readonly start: number;
  /** Bytes of the file behind which `offset` of the decompressed input lies. */
  taken(offset: number): number;
  /** Lines before it; counted when first asked for. */
  linesBefore(): Promise<number>;
  close(): Promise<void>;
}

/**
 * The inputs of an import. All are opened and opened at before anything is sent, so that a missing one is found
 * first; files are then closed until their turn, however many there are. A pipe stays open: it opens once.
 */
export class Inputs {
  readonly opened: Input[] = [];
  private readonly options: InputOptions;

  private constructor(options: InputOptions) {
    this.options = options;
  }

  static async open(options: InputOptions): Promise<Inputs> {
    const inputs = new Inputs(options);
    try {
      for (const name of options.names) {
        const input = await openInput(name, options);
        inputs.opened.push(input);
        if (input.fingerprint) await input.close();
      }
    } catch (error) {
      await inputs.close();
      throw error;
    }
    return inputs;
  }

  /** What tells one state of the inputs from another, as text. */
  get prints(): string {
    return JSON.stringify(this.opened.map(({ fingerprint }) => fingerprint));
  }

  /** Bytes of the files that are to be read, together; undefined when there is a pipe. */
  get size(): number | undefined {
    let sum = 0;
    for (const [index, { fingerprint }] of this.opened.entries()) {
      if (!fingerprint) return undefined;
      const { part } = this.options;
      sum += part && !this.dealt(index) ? fingerprint.size / part.of : fingerprint.size;
    }
    return sum;
  }

  /** Records of this input are dealt out by count, not by place. */
  dealt(index: number): boolean {
    const input = this.opened[index]!;
    const { part } = this.options;
    return part !== undefined && (input.format !== 'ndjson' || !!input.compression || !input.fingerprint);
  }

  /** How much of an input was read is known: not of a range of bytes in it. */
  private measured(index: number): boolean {
    return this.options.part === undefined || this.dealt(index);
  }

  /** What the inputs hold by what was read of each; nothing of those behind the one with which a limit was reached. */
  contents(read: readonly Content[]): Contents {
    return this.opened.map((_, index) =>
      this.measured(index) ? (read[index] ?? new ContentHash().content(false)) : null,
    );
  }

  /**
   * How all of the inputs together stand to what an earlier import read of them; null stands for one of which that is
   * not known. Reads files once more; what is read of a pipe is kept in `folder` until it is read again. Ends early,
   * as for the same, when `stop` fires: nothing is sent then.
   */
  async compare(
    before: Contents | undefined,
    folder: string,
    stop: AbortSignal,
  ): Promise<Comparison | 'unknown'> {
    if (!before) return 'unknown';
    const found = new Set<Comparison>();
    for (const [index, content] of before.entries()) {
      if (!content || !this.measured(index)) return 'unknown';
      const comparison = await this.compareOne(index, content, folder, stop);
      if (comparison === 'other') return comparison;
      found.add(comparison);
    }
    return found.has('appended') ? 'appended' : 'same';
  }

  private async compareOne(
    index: number,
    before: Content,
    folder: string,
    stop: AbortSignal,
  ): Promise<Comparison> {
    const opened = this.opened[index]!;
    if (opened.fingerprint) {
      const input = await openInput(opened.name, this.options);
      try {
        return await compareContent(input.bytes, before);
      } finally {
        await input.close();
      }
    }
    const spool = new Spool(opened.bytes, join(folder, `${randomUUID()}.spool`));
    const comparing = compareContent(spool, before);
    comparing.catch(() => undefined);
    const over = new AbortController();
    const stopped = new Promise<Comparison>((resolve) => {
      const end = () => resolve('same');
      if (stop.aborted) end();
      else stop.addEventListener('abort', end, { once: true, signal: over.signal });
    });
    const comparison = await Promise.race([comparing, stopped]).finally(() => over.abort());
    const bytes = spool.again();
    this.opened[index] = { ...opened, bytes, close: () => bytes.close() };
    return comparison;
  }

  /** Opens an input for reading. */
  async feed(index: number, batcher: Batcher): Promise<Feed> {
    const opened = this.opened[index]!;
    const { mapping, part } = this.options;
    const input = opened.fingerprint ? await openInput(opened.name, this.options) : opened;
    const longest = longestRecord(mapping.kind);
    let source = input.bytes;
    let start = 0;
    if (part && !this.dealt(index)) {
      const { from, to } = rangeOf(part, opened.fingerprint!.size);
      const range = await linesWithin(opened.path!, from, to);
      source = range.source;
      start = range.start;
    }
    batcher.nextFile(index, start, this.dealt(index) ? part : undefined);
    let lines: Promise<number> | undefined;
    return {
      input,
      window: new Window(source, longest + 1, start),
      reader: this.reader(input),
      start,
      taken: (offset) => Math.max(1, input.compression ? input.taken() : offset - start),
      linesBefore: () => {
        lines ??= start === 0 ? Promise.resolve(0) : linesBefore(opened.path!, start);
        return lines;
      },
      async close() {
        if (source !== input.bytes) await source.close();
        await input.close();
      },
    };
  }

  async close(): Promise<void> {
    for (const input of this.opened) if (!input.fingerprint) await input.close();
  }

  private reader(input: Input): RecordReader {
    const { mapping, onNotice } = this.options;
    const longest = longestRecord(mapping.kind);
    const file = input.name;
    if (input.format === 'csv') return new CsvReader({ file, mapping, longest, onNotice });
    // Records that every flag leaves as they are need no more than the scan.
    const plain = mapping.kind === 'events' && mapping.map.size === 0 && mapping.set.size === 0;
    return new NdjsonReader({
      file,
      longest,
      shape: jsonMapper(mapping),
      scan: plain ? scanEvent : undefined,
    });
  }
}
