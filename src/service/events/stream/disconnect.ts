import type { Socket } from 'node:net';

/**
 * Ends a stream whose client does not read. An error of the body would be printed as a failure of the service, with its
 * stack: where there is a connection, closing it is enough.
 */
export function disconnect(controller: ReadableStreamDefaultController, socket: Socket | undefined): void {
  if (socket) socket.destroy();
  else controller.error(new Error('the client does not read'));
}
