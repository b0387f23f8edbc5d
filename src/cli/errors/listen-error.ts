import { shell } from '../../kit/shell.ts';
import { SvcError } from './svc-error.ts';

/** The address that could not be listened on, and how to select another one. */
interface Address {
  readonly host: string;
  readonly port: number;
  /** The flag that sets the port. */
  readonly flag: string;
  /** A port that needs no privileges, to suggest. */
  readonly freePort: string;
}

/** Turns Node's error of `listen` into an SvcError. Returns any other error unchanged. */
export function toListenError(error: unknown, { host, port, flag, freePort }: Address): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // A process of several reports `bind`.
  if (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo') return error;
  if (code === 'EADDRINUSE')
    return new SvcError('port_taken', `port ${port} on ${host} is in use`, {
      hint: (invocation) =>
        `stop the process that listens there (${shell`fuser -v ${`${port}/tcp`}`}), or use a free port: ${invocation.rerunWith(flag, '0')}`,
      cause: error,
    });
  if (code === 'EACCES')
    return new SvcError('usage', `port ${port} requires more privileges`, {
      hint: (invocation) => `use one above 1023: ${invocation.rerunWith(flag, freePort)}`,
      cause: error,
    });
  return new SvcError('usage', `cannot listen on ${host}: ${message}`, {
    hint: (invocation) => `use an address of this machine: ${invocation.rerunWith('--host', '127.0.0.1')}`,
    cause: error,
  });
}
