/** A source of bytes. `read` fills `into` from `at` with at most `length` bytes and resolves to their number; 0 is the end. */
export interface ByteSource {
  read(into: Buffer, at: number, length: number): Promise<number>;
  close(): Promise<void>;
}

/** Reads from a stream of chunks, such as a pipe or a decompressor. The iteration provides the back pressure. */
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
    // While a read of a pipe is pending, its iterator cannot return: destroy the pipe itself.
    if (this.stream.destroy) this.stream.destroy();
    else await this.chunks.return?.();
  }
}

/** Reads from memory. */
export function bytesOf(bytes: Buffer): ByteSource {
  let position = 0;
  return {
    async read(into, at, length) {
      const count = bytes.copy(into, at, position, Math.min(position + length, bytes.length));
      position += count;
      return count;
    },
    close: async () => undefined,
  };
}

/** Converts a source to a stream of chunks. */
export async function* chunksOf(source: ByteSource, size = 256 * 1024): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(size);
    const count = await source.read(chunk, 0, size);
    if (count === 0) return;
    yield chunk.subarray(0, count);
  }
}

/** Reads a source to its end, so that its content is hashed. */
export async function readThrough(source: ByteSource): Promise<void> {
  for await (const _ of chunksOf(source));
}
