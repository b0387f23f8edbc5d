/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The last id seen up to here; empty while none was. */
  readonly id: string;
  readonly event: string;
  /** Undefined where the message only moved the id or the reconnection time. */
  readonly data: string | undefined;
  /** What the service asks for as time before a reconnection, in ms. */
  readonly retry: number | undefined;
}

/** Most characters of a line or a message that are held; beyond it the stream is not what it should be. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** A line is held too, however little it holds: it counts as so many characters more. */
const COST_OF_A_LINE = 64;
/** A longer id, or one that cannot stand in a header (Last-Event-ID), is passed over. */
const MOST_OF_AN_ID = 1024;
const UNFIT_FOR_A_HEADER = /[\u0000-\u001f\u007f]/;

/**
 * Reads a stream of server-sent events (WHATWG HTML, 9.2.6). Throws RangeError at a message that never ends.
 * @param lastId the last id of the stream before, which this one continues
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
  let moved = false;

  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    rest += text;
    if (rest.length > MOST_CHARACTERS) throw new RangeError('a line of the event stream does not end');
    // A line that goes on and on is not searched again from its beginning.
    if (!/[\r\n]/.test(text)) continue;
    // A lone CR at the end may be half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 || moved)
          yield { id, event: event || 'message', data: data.length > 0 ? data.join('\n') : undefined, retry };
        event = '';
        data = [];
        size = 0;
        retry = undefined;
        moved = false;
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') {
        data.push(value);
        size += value.length + COST_OF_A_LINE;
        if (size > MOST_CHARACTERS) throw new RangeError('a message of the event stream does not end');
      } else if (field === 'event') event = value;
      else if (field === 'id' && value.length <= MOST_OF_AN_ID && !UNFIT_FOR_A_HEADER.test(value)) {
        id = value;
        moved = true;
      } else if (field === 'retry' && /^\d{1,9}$/.test(value)) {
        retry = Number(value);
        moved = true;
      }
    }
  }
}
