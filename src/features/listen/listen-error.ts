import { fileError } from '../../cli/errors/file-error.ts';
import { toListenError } from '../../cli/errors/listen-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
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
          `check that the tunnel forwards to port ${port} of this machine, then: ${invocation.rerunWith()}`,
      },
    );
  }
  if (error instanceof NotARecording)
    return new SvcError('file', error.message, {
      hint: (invocation) => invocation.rerunWith('--record', `${record}.deliveries.ndjson`),
      cause: error,
    });
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open') {
    return fileError(record ?? String(path), error, 'write');
  }
  return toListenError(error, { host, port, flag: '--port', freePort: '4500' });
}
