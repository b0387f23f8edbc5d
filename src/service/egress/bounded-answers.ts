import type { Socket } from 'node:net';
import { Agent, type buildConnector } from 'undici';

/** Most bytes of one answer on the wire: status line, headers, informational answers, framing and TLS included. */
const WIRE_BYTES = 256 * 1024;
/** Most pieces in which one answer arrives: each costs a turn of the event loop, however few bytes it holds. */
const PIECES = 1024;

/** An answer that is larger, or arrives in more pieces, than any receiver needs. */
export class AnswerTooLarge extends Error {
  readonly code = 'ERR_ANSWER_TOO_LARGE';

  constructor(reason: string) {
    super(`the answer ${reason}`);
    this.name = 'AnswerTooLarge';
  }
}

/** An undici agent for servers that are not trusted: what each answer may cost is bounded at its connection. */
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
    // The sender ends an attempt by one deadline for all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * Destroys a connection once an answer on it exceeds its bounds. Counts at the socket, below the HTTP parser, which
 * reports neither chunk extensions nor trailers nor empty lines. Our next write begins the next answer, so what comes
 * without a request counts towards the answer before it.
 */
function boundAnswers(socket: Socket): void {
  let written = socket.bytesWritten;
  let before = socket.bytesRead;
  let counted = before;
  let pieces = 0;
  const count = () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      before = counted;
      pieces = 0;
    }
    counted = socket.bytesRead;
    pieces++;
    if (counted - before > WIRE_BYTES) socket.destroy(new AnswerTooLarge('is longer than 256 KiB'));
    else if (pieces > PIECES) socket.destroy(new AnswerTooLarge('came in more than 1,024 pieces'));
  };
  socket.on('readable', count);
  // TLS 1.3 session tickets carry no data, so nothing becomes readable.
  socket.on('session', count);
}
