import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { shell } from '../../kit/shell.ts';
import { NotARecording } from './recording.ts';
import { ProbeFailed } from './session.ts';

/** Translates the errors of a listener that cannot start into errors for the user. Returns other errors unchanged. */
export function listenError(
  error: unknown,
  { port, host, record }: { port: number; host: string; record?: string | undefined },
): unknown {
  if (error instanceof ProbeFailed) {
    return new SvcError(
      'unreachable',
      `deliveries to ${error.url.href} do not reach this listener: ${error.message}`,
      {
        hint: (invocation) =>
          `check that the tunnel forwards to port ${port} of this machine, then: ${invocation.again()}`,
      },
    );
  }
  if (error instanceof NotARecording)
    return new SvcError('file', error.message, {
      hint: (invocation) => invocation.again('--record', `${record}.deliveries.ndjson`),
      cause: error,
    });
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open') {
    return fileError(record ?? String(path), error, 'write');
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  if (code === 'EADDRINUSE') {
    return new SvcError('port_taken', `port ${port} on ${host} is already in use`, {
      hint: (invocation) =>
        `find the process with ${shell`fuser -v ${`${port}/tcp`}`}, or use a free port: ${invocation.again('--port', '0')}`,
    });
  }
  if (code === 'EACCES') {
    return new SvcError('usage', `you do not have permission to listen on port ${port}`, {
      hint: (invocation) => `use a port above 1023: ${invocation.again('--port', '4500')}`,
    });
  }
  return new SvcError('usage', `cannot listen on ${host}: ${(error as Error).message}`, {
    hint: (invocation) => `use an address of this machine: ${invocation.again('--host', '127.0.0.1')}`,
  });
}
