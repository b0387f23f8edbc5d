import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { shell } from '../../kit/shell.ts';
import { NotARecording } from './recording.ts';
import { ProbeFailed } from './session.ts';

/** Why a listener could not be opened, in words. Other errors come back as they are. */
export function listenError(
  error: unknown,
  { port, host, record }: { port: number; host: string; record?: string | undefined },
): unknown {
  if (error instanceof ProbeFailed) {
    return new SvcError(
      'unreachable',
      `deliveries to ${error.url.href} do not reach this listener: ${error.message}`,
      {
        hint: (invocation) => `check that the tunnel leads to port ${port} here, then: ${invocation.again()}`,
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
    return new SvcError('port_taken', `port ${port} on ${host} is taken`, {
      hint: (invocation) =>
        `stop what listens there (${shell`fuser -v ${`${port}/tcp`}`}), or take a free one: ${invocation.again('--port', '0')}`,
    });
  }
  if (code === 'EACCES') {
    return new SvcError('usage', `port ${port} needs more rights than you have`, {
      hint: (invocation) => `take one above 1023: ${invocation.again('--port', '4500')}`,
    });
  }
  return new SvcError('usage', `nothing can listen on ${host}: ${(error as Error).message}`, {
    hint: (invocation) => `give an address of this machine: ${invocation.again('--host', '127.0.0.1')}`,
  });
}
