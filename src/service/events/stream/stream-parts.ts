import type { Removal } from '../../platform/store/retention/removals.ts';
import type { PagedEvent } from '../store/events.ts';

/**
 * Characters of a chunk of the stream, about. A stream whose client does not read has one in its socket, so that it is
 * small; but each costs a system call.
 */
const CHUNK = 32 * 1024;

/** How far a stream has come. */
export interface Position {
  /** Everything up to this event was sent. */
  readonly number: number;
  /** Bytes sent of the frame of the next event, `of`; 0 with none of it. */
  readonly sent: number;
  readonly of: number;
}

/** Bytes of the stream, and where it is after them. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly after: Position;
}

/** The properties of a long event, `bytes` in all, from a byte on. They are read when they are sent. */
export interface Range {
  readonly number: number;
  readonly from: number;
  readonly bytes: number;
}

/** What a stream sends: bytes, or a part of a long event. */
export type Part = Chunk | Range;

const startOf = (number: number): Position => ({ number, sent: 0, of: 0 });

const utf8 = new TextEncoder();

/** The bytes of a message that is not an event; the stream is at the event `number` after it. */
export const message = (text: string, number: number): Chunk => ({
  bytes: utf8.encode(text),
  after: startOf(number),
});

/** Bytes that a page takes while it waits to be sent, about. */
export const sizeOf = (rows: readonly PagedEvent[]) =>
  rows.reduce((sum, { properties }) => sum + (properties?.length ?? 0) + 256, 0);

/** The events after `number` in the format of the stream. Each chunk has memory of its own, so that it keeps no other. */
export function partsOf(rows: readonly PagedEvent[], number: number): Part[] {
  const parts: Part[] = [];
  let done = number;
  let text = '';
  const flush = () => {
    if (text !== '') parts.push(message(text, done));
    text = '';
  };
  /** Adds the beginning of the frame of an event, which may be long. */
  const addBeginning = (beginning: string, of: number) => {
    flush();
    let sent = 0;
    for (let from = 0; from < beginning.length; ) {
      const end = chunkEnd(beginning, from);
      const bytes = utf8.encode(beginning.slice(from, end));
      sent += bytes.length;
      parts.push({ bytes, after: { number: done, sent, of } });
      from = end;
    }
  };
  for (const event of rows) {
    const { number: of, properties, leftOut } = event;
    const [before, after] = around(event);
    const beginning = before + (properties === null ? '' : inOneLine(properties));
    if (leftOut > 0 || beginning.length + after.length > CHUNK) {
      addBeginning(beginning, of);
      if (leftOut > 0) parts.push({ number: of, from: 0, bytes: leftOut });
      text = after;
    } else {
      if (text.length + beginning.length + after.length > CHUNK) flush();
      text += beginning + after;
    }
    done = of;
  }
  flush();
  return parts;
}

/** The parts without the first `sent` bytes. */
export function withoutSent(parts: readonly Part[], sent: number): Part[] {
  const rest = [...parts];
  for (let left = sent; left > 0; ) {
    const first = rest.shift();
    if (!first) throw new Error('an event has changed');
    const length = 'after' in first ? first.bytes.length : first.bytes - first.from;
    if (length > left)
      rest.unshift(
        'after' in first
          ? { ...first, bytes: first.bytes.subarray(left) }
          : { ...first, from: first.from + left },
      );
    left -= Math.min(left, length);
  }
  return rest;
}

/** Divides bytes into chunks, each with memory of its own. */
export function inChunks(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK)
    chunks.push(new Uint8Array(bytes.subarray(from, from + CHUNK)));
  return chunks;
}

/** Says that events after the last one may be gone; the stream continues after the event `id`. */
export function gap({ before }: Removal, id: number): Chunk {
  const data = JSON.stringify({ removedBefore: new Date(before).toISOString() });
  return message(`id: ${id}\nevent: gap\ndata: ${data}\n\n`, id);
}

/** Replaces line breaks, which in JSON can only occur between tokens. */
export function withoutBreaks(json: Uint8Array): Uint8Array {
  for (const line of [0x0a, 0x0d])
    for (let at = json.indexOf(line); at !== -1; at = json.indexOf(line, at + 1)) json[at] = 0x20;
  return json;
}

/** The end of the chunk that starts at `from`; never inside a surrogate pair. */
function chunkEnd(text: string, from: number): number {
  const end = from + CHUNK;
  if (end >= text.length) return text.length;
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end;
}

/** The text before and after the properties of an event. */
function around(event: PagedEvent): [string, string] {
  const { number, userId, event: name, timestamp, eventId, origin, properties, leftOut, receivedAt } = event;
  const id = eventId === null ? {} : { eventId };
  const known = JSON.stringify({ userId, event: name, timestamp, ...id }).slice(0, -1);
  const field = properties === null && leftOut === 0 ? '' : ',"properties":';
  const at = new Date(Number(receivedAt)).toISOString();
  return [
    `id: ${number}\nevent: event\ndata: ${known}${field}`,
    `,"origin":"${origin}","receivedAt":"${at}"}\n\n`,
  ];
}

/** Keeps the text as it was sent, so that big integers are exact, but replaces line breaks between tokens. */
function inOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
