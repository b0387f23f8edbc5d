import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Records the connection attempts of this process to a port, at the socket: each address passed to the system, before
 * the attempt succeeds or fails. Only to this port, as services of other tests in this process may connect meanwhile.
 */
export function recordConnectionAttempts(port: number): { attempts: string[]; stop(): void } {
  const attempts: string[] = [];
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, to: number) => {
      if (to === port) attempts.push(`${address} ${port}`);
    });
  };
  diagnostics.subscribe('net.client.socket', onSocket);
  return { attempts, stop: () => diagnostics.unsubscribe('net.client.socket', onSocket) };
}
