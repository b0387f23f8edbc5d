import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Records the connection attempts of this process at the socket: each address passed to the system, before the attempt
 * succeeds or fails. With `only`, those to this port: services of other tests in this process may connect meanwhile.
 */
export function recordConnectionAttempts(only?: number): { attempts: string[]; stop(): void } {
  const attempts: string[] = [];
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => {
      if (only === undefined || port === only) attempts.push(`${address} ${port}`);
    });
  };
  diagnostics.subscribe('net.client.socket', onSocket);
  return { attempts, stop: () => diagnostics.unsubscribe('net.client.socket', onSocket) };
}
