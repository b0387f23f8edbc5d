import type { Batcher } from '../deliver/batcher.ts';
import { longestRecord } from '../deliver/request-body.ts';
import { foundText } from '../formats/detect.ts';
import { type InputFacts, inputFacts, refuseCsvFlags } from '../formats/input-facts.ts';
import { type Input, type InputInfo, type OpenPipe, openInput } from '../formats/open.ts';
import type { Reading } from '../formats/reading.ts';
import type { RecordSource } from '../formats/record-source.ts';
import { recordsOf } from '../formats/records-of.ts';
import { readSample, type Sample, type SampleLimits } from '../formats/sample.ts';
import { notUtf8Lines } from '../formats/undecoded.ts';
import { filesIn } from '../input/archive/files-in.ts';
import { type ByteSource, bytesOf, readThrough } from '../input/bytes.ts';
import { type Comparison, ContentHash, compareContent } from '../input/content.ts';
import type { Downloads } from '../input/downloads.ts';
import { type HeadLimits, PipeHead } from '../input/pipe-head.ts';
import { countLinesBefore, linesWithin, rangeOf } from '../input/range.ts';
import { compareSpooled } from '../input/spool.ts';
import { stoppable, throwIfStopped } from '../input/stopped.ts';
import { columnsOf } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { recordMappers } from '../mapping/record-mappers.ts';
import { uniqueNames } from '../mapping/unique-names.ts';
import type { Content, Contents } from '../record/content.ts';
import { FIELDS } from '../record/record-kind.ts';
import type { Shard } from '../record/shard.ts';
import type { Feed } from './feed.ts';

export interface InputOptions {
  readonly names: readonly string[];
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly openPipe?: OpenPipe | undefined;
  readonly reading: Reading;
  readonly mapping: Mapping;
  readonly shard: Shard | undefined;
  /** Where the content of addresses is. */
  readonly downloads?: Downloads | undefined;
  /** Ends the opening and the comparing of inputs with Stopped. */
  readonly stop: AbortSignal;
  readonly onNotice: (text: string) => void;
  /** Receives what samples show, such as lines that are left out; an import says it where it reads them. */
  readonly onSampleNotice?: (text: string) => void;
}

/** An input that was opened. Only a pipe is still open. */
interface Opened extends InputInfo {
  readonly pipe?: Input;
}

/**
 * The inputs of an import. All are opened and inspected before anything is sent, so that a missing one is found early.
 * Files are then closed until they are read, which limits the open files. A pipe stays open: it can be opened only once.
 */
export class Inputs {
  readonly opened: Opened[] = [];
  /** How records are mapped; the import sets it once the types of the columns are decided. */
  mapping: Mapping;
  private readonly options: InputOptions & { readonly fields: ReadonlySet<string> };
  private readonly sampledAt = new Map<number, number>();
  /** The names in the order in which the inputs were found, if they were arranged. */
  private sorted: string[] = [];
  /** What is known of the inputs that were read so far. */
  private readonly facts = new Map<string, InputFacts>();
  /** The input that is read, and its records. */
  private reading: readonly [InputInfo, RecordSource] | undefined;

  private constructor(options: InputOptions) {
    const { map, kind } = options.mapping;
    this.options = { ...options, fields: new Set([...FIELDS[kind], ...columnsOf(map)]) };
    this.mapping = options.mapping;
  }

  static async open(options: InputOptions): Promise<Inputs> {
    const inputs = new Inputs(options);
    try {
      for (const source of await filesIn(options.names, options.cwd, options.onNotice, options.downloads)) {
        throwIfStopped(options.stop);
        const input = await openInput(source, inputs.options);
        const { info } = input;
        inputs.opened.push(info.fingerprint ? info : { ...info, pipe: input });
        if (info.recordsFound) options.onNotice(foundText(info.name, info.recordsAt));
        if (info.fingerprint) await input.close();
      }
      refuseCsvFlags(inputs.opened, options.reading);
    } catch (error) {
      await inputs.close();
      throw error;
    }
    return inputs;
  }

  /** The fingerprints of all inputs, as text. */
  get fingerprints(): string {
    return JSON.stringify(this.opened.map(({ fingerprint }) => fingerprint));
  }

  /**
   * Puts the files of folders, patterns and archives in the order in which an earlier import read them, and those that it
   * did not know last: positions in its journal refer to that order. Without `before`, sorts them as they are named.
   */
  arrange(before: Contents = []): void {
    if (this.sorted.length === 0) this.sorted = this.names;
    const place = new Map<string | undefined, number>();
    const known = before.map((content, index) => content?.name ?? this.sorted[index]);
    for (const [index, name] of [...known, ...this.sorted].entries())
      if (!place.has(name)) place.set(name, index);
    this.opened.sort((a, b) => place.get(a.name)! - place.get(b.name)!);
  }

  /** The names of all inputs, as messages show them. */
  get names(): string[] {
    return this.opened.map(({ name }) => name);
  }

  /** Total bytes of the files to read; undefined if an input is a pipe. */
  get size(): number | undefined {
    let sum = 0;
    for (const [index, { size }] of this.opened.entries()) {
      if (size === undefined) return undefined;
      const { shard } = this.options;
      sum += shard && !this.isShardedByRecord(index) ? size / shard.count : size;
    }
    return sum;
  }

  /** Returns whether the records of a sharded input are selected by their index, not by byte range. */
  isShardedByRecord(index: number): boolean {
    const input = this.opened[index]!;
    const { shard } = this.options;
    const { format, compression, encoding, fingerprint } = input;
    const byLine = format === 'ndjson' && !compression && encoding === 'utf-8' && fingerprint !== null;
    return shard !== undefined && !byLine;
  }

  /** Returns whether the content read of an input is known, which it is not for a byte range. */
  private hasContent(index: number): boolean {
    return this.options.shard === undefined || this.isShardedByRecord(index);
  }

  /** Returns the content read of each input: empty for inputs after a limit was reached, null if unknown. */
  contents(read: readonly Content[]): Contents {
    return this.opened.map(({ name }, index) => {
      if (!this.hasContent(index)) return null;
      const content = read[index] ?? new ContentHash().content(false);
      return this.options.names.includes(name) ? content : { ...content, name };
    });
  }

  /**
   * Compares the inputs with their earlier contents; `unknown` if one of those is not known. Reads files an additional
   * time; spools a pipe in `folder` so that it can be read again. Returns `same` early when `stop` is aborted, as nothing
   * is sent then.
   */
  async compare(
    before: Contents | undefined,
    folder: string,
    stop: AbortSignal,
  ): Promise<Comparison | 'unknown'> {
    if (!before) return 'unknown';
    // A file that is gone was imported, and what the others hold cannot be told from it.
    if (
      before.some(
        (content, index) => content?.name !== undefined && content.name !== this.opened[index]?.name,
      )
    )
      return 'unknown';
    const found = new Set<Comparison>();
    for (const [index, content] of before.entries()) {
      if (!content || !this.hasContent(index)) return 'unknown';
      const comparison = await this.compareOne(index, content, folder, stop);
      if (comparison === 'other') return comparison;
      found.add(comparison);
    }
    return found.has('appended') || this.opened.length > before.length ? 'appended' : 'same';
  }

  private async compareOne(
    index: number,
    before: Content,
    folder: string,
    stop: AbortSignal,
  ): Promise<Comparison> {
    const opened = this.opened[index]!;
    if (opened.fingerprint) {
      const input = await openInput(opened.source, this.options);
      try {
        return await compareContent(stoppable(input.bytes, stop), before);
      } finally {
        await input.close();
      }
    }
    const pipe = opened.pipe!;
    const { comparison, bytes } = await compareSpooled(pipe.bytes, before, folder, stop);
    this.opened[index] = { ...opened, pipe: { ...pipe, bytes, close: () => bytes.close() } };
    return comparison;
  }

  /** Describes an input by its name, as far as it was read. */
  factsOf(name: string): InputFacts | undefined {
    return this.reading?.[0].name === name ? inputFacts(...this.reading) : this.facts.get(name);
  }

  /** Opens an input for reading. `hashed`: its content will be asked for. */
  async feed(index: number, batcher: Batcher, { hashed = true } = {}): Promise<Feed> {
    const opened = this.opened[index]!;
    const { shard } = this.options;
    const input = opened.pipe ?? (await openInput(opened.source, this.options));
    let source = input.bytes;
    let start = 0;
    if (shard && !this.isShardedByRecord(index)) {
      const { from, to } = rangeOf(shard, opened.fingerprint!.size);
      const range = await linesWithin(opened.path!, from, to);
      source = range.source;
      start = range.start;
    }
    batcher.nextFile(index, start, this.isShardedByRecord(index) ? shard : undefined);
    if (input.format === 'parquet' && hashed) await readThrough(stoppable(source, this.options.stop));
    const records = await recordsOf(input, source, start, {
      ...this.options,
      openOptions: this.options,
      longest: longestRecord(this.mapping.kind),
      mappers: recordMappers(this.mapping),
    });
    this.reading = [input, records];
    const isTable = input.format === 'parquet';
    return {
      // Positions in a Parquet file are row numbers.
      input: isTable
        ? { ...input, content: () => ({ ...input.content(), length: records.readUntil }) }
        : input,
      records,
      start,
      since: this.sampledAt.get(index),
      taken: (offset) => {
        if (isTable) return Math.ceil((input.size! * offset) / Math.max(1, records.readUntil));
        return Math.max(1, input.compression || input.encoding !== 'utf-8' ? input.taken() : offset - start);
      },
      linesBefore: countLinesBefore(opened.path, start),
      close: async () => {
        // The reader is not kept: an archive may have many files.
        this.facts.set(input.name, inputFacts(input, records));
        this.reading = undefined;
        if (source !== input.bytes) await source.close();
        await input.close();
      },
    };
  }

  /**
   * Reads the first records of an input, from its start also in a shard. `wait` limits how long a pipe is waited for;
   * what was read of it is read again by the import.
   */
  async sample(index: number, limits: SampleLimits, wait: Omit<HeadLimits, 'lines'>): Promise<Sample> {
    const opened = this.opened[index]!;
    let source: ByteSource;
    let input: Input;
    let bytesReady: number | undefined;
    if (!opened.pipe) {
      input = await openInput(opened.source, this.options);
      source = input.bytes;
    } else {
      input = opened.pipe;
      const pipe = new PipeHead(input.bytes);
      this.sampledAt.set(index, wait.clock.now());
      await pipe.fill({ ...wait, lines: limits.records });
      this.opened[index] = { ...opened, pipe: { ...input, bytes: pipe } };
      source = bytesOf(pipe.head);
      if (!pipe.ended) bytesReady = pipe.head.length;
    }
    const { mapping } = this;
    const longest = longestRecord(mapping.kind);
    const onNotice = this.options.onSampleNotice ?? (() => undefined);
    const reading = { ...this.options, openOptions: this.options, longest, onNotice };
    try {
      const read = await readSample(
        (mappers) => recordsOf(input, source, 0, { ...reading, mappers }),
        limits,
        bytesReady,
      );
      return {
        ...read,
        input: opened,
        undecoded: notUtf8Lines(input.head),
        header: read.header && uniqueNames(read.header, mapping, input.name).names,
        taken: input.compression ? input.taken() : read.bytes,
      };
    } finally {
      if (!opened.pipe) await input.close();
    }
  }

  async close(): Promise<void> {
    for (const { pipe } of this.opened) await pipe?.close();
  }
}
