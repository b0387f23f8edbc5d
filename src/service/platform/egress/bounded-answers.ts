import type { Socket } from 'node:net';
import { Agent, type buildConnector } from 'undici';

/** Maximum bytes of an answer on the wire, including headers, informational answers, framing and TLS. */
const MAX_WIRE_BYTES = 256 * 1024;
/** Maximum reads per answer: each takes a turn of the event loop, however small it is. */
const MAX_READS = 1024;

/** The answer is larger, or arrives in more pieces, than any receiver needs. */
export class AnswerTooLarge extends Error {
  readonly code = 'ERR_ANSWER_TOO_LARGE';

  constructor(reason: string) {
    super(`the answer ${reason}`);
    this.name = 'AnswerTooLarge';
  }
}

/** Creates an undici agent for untrusted servers: bounds the size of each answer at the connection. */
export function boundedAgent(connect: buildConnector.connector): Agent {
  return new Agent({
    connect: (target, callback) => {
      connect(target, (...made) => {
        const [error, socket] = made;
        if (error === null) boundAnswers(socket);
        callback(...made);
      });
    },
    pipelining: 1,
    // The caller applies one deadline to the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * Destroys a connection when an answer on it exceeds its limits. Counts at the socket, below the HTTP parser, which
 * reports neither chunk extensions nor trailers nor empty lines. The next write starts the next answer; unsolicited
 * bytes count towards the answer before it.
 */
function boundAnswers(socket: Socket): void {
  let written = socket.bytesWritten;
  let start = socket.bytesRead;
  let counted = start;
  let reads = 0;
  const count = () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      start = counted;
      reads = 0;
    }
    counted = socket.bytesRead;
    reads++;
    if (counted - start > MAX_WIRE_BYTES) socket.destroy(new AnswerTooLarge('is longer than 256 KiB'));
    else if (reads > MAX_READS) socket.destroy(new AnswerTooLarge('came in more than 1,024 pieces'));
  };
  socket.on('readable', count);
  // TLS 1.3 session tickets carry no data, so nothing becomes readable.
  socket.on('session', count);
}
