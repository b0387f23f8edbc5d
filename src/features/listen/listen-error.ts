import { fileError } from '../../cli/errors/file-error.ts';
import { toListenError } from '../../cli/errors/listen-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { RecordForeign } from './recording.ts';
import { ProbeLost } from './session.ts';

/** Why a listener could not be opened, in words. Other errors come back as they are. */
export function listenError(
  error: unknown,
  { port, host, record }: { port: number; host: string; record?: string | undefined },
): unknown {
  if (error instanceof ProbeLost) {
    return new SvcError(
      'unreachable',
      `deliveries to ${error.url.href} do not reach this listener: ${error.message}`,
      {
        hint: (invocation) => `check that the tunnel leads to port ${port} here, then: ${invocation.again()}`,
      },
    );
  }
  if (error instanceof RecordForeign)
    return new SvcError('file', error.message, {
      hint: (invocation) => invocation.again('--record', `${record}.deliveries.ndjson`),
      cause: error,
    });
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open') {
    return fileError(record ?? String(path), error, 'write');
  }
  return toListenError(error, { host, port, flag: '--port', freePort: '4500' });
}
