import type { Page } from '../../store/pages.ts';
import type { PagedEvent } from '../../store/repositories/events.ts';
import type { Removal } from '../../store/repositories/removals.ts';

/** Maximum characters, or bytes, of a chunk of the stream. */
const CHUNK = 128 * 1024;

/** What a stream sends: text, or a part of a long event. */
export type Part = string | Range;

/** The properties of a long event, `bytes` in all, from a byte on. They are read when they are sent. */
export interface Range {
  readonly number: number;
  readonly from: number;
  readonly bytes: number;
}

/** The end of the chunk that starts at `from`; never inside a surrogate pair. */
export function chunkEnd(text: string, from: number): number {
  const end = from + CHUNK;
  if (end >= text.length) return text.length;
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end;
}

/** Characters that a page takes while it waits to be sent, about. */
export const sizeOf = ({ rows }: Page<PagedEvent>) =>
  rows.reduce((sum, { properties }) => sum + (properties?.length ?? 0) + 256, 0);

/** The events in the format of the stream. */
export function partsOf(rows: readonly PagedEvent[]): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (const event of rows) {
    if (event.leftOut === 0) {
      text += frame(event);
      continue;
    }
    const [before, after] = around(event);
    parts.push(text + before, { number: event.number, from: 0, bytes: event.leftOut });
    text = after;
  }
  return text === '' ? parts : [...parts, text];
}

/** Divides bytes into chunks. */
export function inChunks(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK) chunks.push(bytes.subarray(from, from + CHUNK));
  return chunks;
}

/** Says that events after the last one may be gone; the stream continues after the event `id`. */
export function gap({ before }: Removal, id: number): string {
  const data = JSON.stringify({ removedBefore: new Date(before).toISOString() });
  return `id: ${id}\nevent: gap\ndata: ${data}\n\n`;
}

/** Replaces line breaks, which in JSON can only occur between tokens. */
export function withoutBreaks(json: Uint8Array): Uint8Array {
  for (const line of [0x0a, 0x0d])
    for (let at = json.indexOf(line); at !== -1; at = json.indexOf(line, at + 1)) json[at] = 0x20;
  return json;
}

function frame(event: PagedEvent): string {
  const [before, after] = around(event);
  return before + (event.properties === null ? '' : inOneLine(event.properties)) + after;
}

/** The text before and after the properties of an event. */
function around(event: PagedEvent): [string, string] {
  const { number, userId, event: name, timestamp, properties, leftOut, receivedAt } = event;
  const known = JSON.stringify({ userId, event: name, timestamp }).slice(0, -1);
  const field = properties === null && leftOut === 0 ? '' : ',"properties":';
  const at = new Date(Number(receivedAt)).toISOString();
  return [`id: ${number}\nevent: event\ndata: ${known}${field}`, `,"receivedAt":"${at}"}\n\n`];
}

/** Keeps the text as it was sent, so that big integers are exact, but replaces line breaks between tokens. */
function inOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
