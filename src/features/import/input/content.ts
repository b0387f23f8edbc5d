import { createHash } from 'node:crypto';
import type { Content } from '../record/content.ts';
import type { ByteSource } from './bytes.ts';

const LINE_FEED = 0x0a;
const BLOCK = 256 * 1024;
const FIRST_MARK = 64;

/** Hashes bytes as they are read and describes them as Content. */
export class ContentHash {
  private readonly hash = createHash('sha256');
  private readonly marks: [number, string][] = [];
  private next = FIRST_MARK;
  private last = LINE_FEED;
  length = 0;

  update(bytes: Uint8Array): void {
    let rest = bytes;
    while (this.length + rest.length >= this.next) {
      const head = rest.subarray(0, this.next - this.length);
      this.add(head);
      rest = rest.subarray(head.length);
      this.marks.push([this.length, this.digest()]);
      this.next *= 2;
    }
    if (rest.length > 0) this.add(rest);
  }

  /** Returns the hex SHA-256 of all bytes so far. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }

  content(whole: boolean): Content {
    const { length, last, marks } = this;
    return { length, whole, ended: last === LINE_FEED, marks: [...marks, [length, this.digest()]] };
  }

  private add(bytes: Uint8Array): void {
    this.hash.update(bytes);
    this.length += bytes.length;
    this.last = bytes.at(-1) ?? this.last;
  }
}

/** The relation of an input to its earlier content. */
export type Comparison = 'same' | 'appended' | 'other';

/**
 * Compares a source with earlier content, reading no more than necessary. If the earlier content ended in the middle of
 * a line that is longer now, it is `other` content.
 */
export async function compareContent(source: ByteSource, before: Content): Promise<Comparison> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK);
  let at = 0;
  for (const [offset, sha256] of before.marks) {
    while (at < offset) {
      const count = await source.read(block, 0, Math.min(BLOCK, offset - at));
      if (count === 0) return 'other';
      hash.update(block.subarray(0, count));
      at += count;
    }
    if (hash.copy().digest('hex') !== sha256) return 'other';
  }
  if (!before.whole) return 'same';
  if ((await source.read(block, 0, 1)) === 0) return 'same';
  return before.ended || block[0] === LINE_FEED ? 'appended' : 'other';
}
