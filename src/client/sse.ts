/** A message of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The last event ID so far; empty if there was none. */
  readonly id: string;
  readonly event: string;
  /** Undefined if the message only set the ID or the reconnection time. */
  readonly data: string | undefined;
  /** The reconnection time that the service asks for, in ms. */
  readonly retry: number | undefined;
}

/** Upper bound on the characters of a line or a message. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Counted per line in addition to its characters: an empty line takes memory too. */
const LINE_OVERHEAD = 64;
/** A longer ID, or one that is not valid in a header (Last-Event-ID), is ignored. */
const MAX_ID_LENGTH = 1024;
const INVALID_IN_HEADER = /[\u0000-\u001f\u007f]/;

/**
 * Parses a stream of server-sent events (WHATWG HTML, 9.2.6). Throws RangeError for a message that does not end.
 *
 * Unlike common parsers it also yields messages without data: they move the ID to resume from.
 * @param lastId the last ID of the previous stream, which this one continues
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  lastId = '',
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let id = lastId;
  let event = '';
  let data: string[] = [];
  let size = 0;
  let retry: number | undefined;
  let updated = false;

  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    rest += text;
    if (rest.length > MAX_CHARACTERS) throw new RangeError('a line of the event stream does not end');
    // Do not search a long line again from its beginning.
    if (!/[\r\n]/.test(text)) continue;
    // A CR at the end may be half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 || updated)
          yield { id, event: event || 'message', data: data.length > 0 ? data.join('\n') : undefined, retry };
        event = '';
        data = [];
        size = 0;
        retry = undefined;
        updated = false;
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') {
        data.push(value);
        size += value.length + LINE_OVERHEAD;
        if (size > MAX_CHARACTERS) throw new RangeError('a message of the event stream does not end');
      } else if (field === 'event') event = value;
      else if (field === 'id' && value.length <= MAX_ID_LENGTH && !INVALID_IN_HEADER.test(value)) {
        id = value;
        updated = true;
      } else if (field === 'retry' && /^\d{1,9}$/.test(value)) {
        retry = Number(value);
        updated = true;
      }
    }
  }
}
