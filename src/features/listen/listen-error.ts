import { fileFailure } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { shell } from '../../kit/shell.ts';
import { RecordForeign } from './recording.ts';
import { ProbeLost } from './session.ts';

/** Why a listener could not be opened, in words. Other errors come back as they are. */
export function listenFailure(
  error: unknown,
  { port, host, record }: { port: number; host: string; record?: string | undefined },
): unknown {
  if (error instanceof ProbeLost) {
    return new SvcError(
      'unreachable',
      `deliveries to ${error.url.href} do not reach this listener: ${error.message}`,
      {
        hint: (typed) => `check that the tunnel leads to port ${port} here, then: ${typed.again()}`,
      },
    );
  }
  if (error instanceof RecordForeign)
    return new SvcError('file', error.message, {
      hint: (typed) => typed.again('--record', `${record}.deliveries.ndjson`),
      cause: error,
    });
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open') {
    return fileFailure(record ?? String(path), error, 'write');
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  if (code === 'EADDRINUSE') {
    return new SvcError('port_taken', `port ${port} on ${host} is taken`, {
      hint: (typed) =>
        `stop what listens there (${shell`fuser -v ${`${port}/tcp`}`}), or take a free one: ${typed.again('--port', '0')}`,
    });
  }
  if (code === 'EACCES') {
    return new SvcError('usage', `port ${port} needs more rights than you have`, {
      hint: (typed) => `take one above 1023: ${typed.again('--port', '4500')}`,
    });
  }
  return new SvcError('usage', `nothing can listen on ${host}: ${(error as Error).message}`, {
    hint: (typed) => `give an address of this machine: ${typed.again('--host', '127.0.0.1')}`,
  });
}
