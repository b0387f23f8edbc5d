/** Bytes on demand: fills `into` from `at`, at most `length`. Returns how many; 0 is the end. */
export interface ByteSource {
  read(into: Buffer, at: number, length: number): Promise<number>;
  close(): Promise<void>;
}

/** A source over chunks that arrive by themselves: a pipe, a decompressor. Back pressure is the iteration itself. */
export class ChunkSource implements ByteSource {
  private readonly stream: AsyncIterable<Uint8Array> & { destroy?(): unknown };
  private readonly chunks: AsyncIterator<Uint8Array>;
  private chunk: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array> & { destroy?(): unknown }) {
    this.stream = stream;
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    while (this.chunk.length === 0) {
      const next = await this.chunks.next();
      if (next.done) return 0;
      this.chunk = next.value;
    }
    const count = Math.min(length, this.chunk.length);
    into.set(this.chunk.subarray(0, count), at);
    this.chunk = this.chunk.subarray(count);
    return count;
  }

  async close(): Promise<void> {
    // A pipe that is being waited for would keep its iterator from returning: end the pipe itself.
    if (this.stream.destroy) this.stream.destroy();
    else await this.chunks.return?.();
  }
}

/** Reads `head`, which was taken to look at, before the rest of the source. */
export class PeekedSource implements ByteSource {
  private head: Buffer;
  private readonly rest: ByteSource;

  constructor(head: Buffer, rest: ByteSource) {
    this.head = head;
    this.rest = rest;
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    if (this.head.length === 0) return this.rest.read(into, at, length);
    const count = this.head.copy(into, at, 0, Math.min(length, this.head.length));
    this.head = this.head.subarray(count);
    return count;
  }

  close(): Promise<void> {
    return this.rest.close();
  }
}

/** The chunks of a source, for those who take a stream. */
export async function* chunksOf(source: ByteSource, size = 256 * 1024): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(size);
    const count = await source.read(chunk, 0, size);
    if (count === 0) return;
    yield chunk.subarray(0, count);
  }
}
