import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Counts connection attempts of this process at the socket itself: each time the system is asked to connect, before
 * it succeeds or fails, with the address it was given.
 */
export function countDialled(): { attempts: string[]; stop(): void } {
  const attempts: string[] = [];
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => attempts.push(`${address} ${port}`));
  };
  diagnostics.subscribe('net.client.socket', onSocket);
  return { attempts, stop: () => diagnostics.unsubscribe('net.client.socket', onSocket) };
}
