import type { ApiError, TransportError } from '../client/errors.ts';
import type { LockUnusable } from '../kit/file-lock.ts';
import { fileTrouble } from '../kit/file-trouble.ts';
import { SvcError } from './errors.ts';
import { fileFailure } from './file-failure.ts';

/** Turns whatever a command threw into a failure of the catalogue, in words and with a next step. */
export function toSvcError(error: unknown, debug: boolean): SvcError {
  if (error instanceof SvcError) return error;
  const named = error as Error & NodeJS.ErrnoException;
  // By name, so that neither the client nor the service is loaded only to look at an error.
  switch (named?.name) {
    case 'ApiError':
      return fromApi(error as ApiError);
    case 'TransportError':
      return fromTransport(error as TransportError);
    case 'LockUnusable': {
      const { path, held } = error as LockUnusable;
      return new SvcError(held ? 'locked' : 'data', named.message, {
        hint: held ? 'wait for it, then run the command again' : `it holds nothing: rm -r '${path}'`,
        cause: error,
      });
    }
    case 'StoreUnusable':
      return new SvcError('data', named.message, {
        hint: 'nothing was changed; `svc data reset --yes` starts afresh',
        cause: error,
      });
    case 'StoreUnavailable':
      return new SvcError('disk', named.message, {
        hint: 'free some space or mend the permissions, then run the command again',
        cause: error,
      });
    case 'ChannelSettingError':
      return new SvcError('usage', named.message, {
        hint: 'correct the environment variable; docs/notifications.md lists them all',
        cause: error,
      });
    case 'CatalogError':
      return new SvcError('usage', `the catalogue cannot be used: ${named.message.replaceAll('\n', '; ')}`, {
        hint: 'correct the file and run it again; docs/catalog.md says what it may hold',
        cause: error,
      });
    case 'FaultsError':
      return new SvcError('usage', `the faults cannot be used: ${named.message}`, {
        hint: 'correct the file; docs/rehearsal.md says what it may hold',
        cause: error,
      });
    case 'ProfilesUnusable':
      return new SvcError('data', named.message, {
        hint: 'mend the file or move it away; nothing was changed',
        cause: error,
      });
  }
  // Whoever reads a file words its failure itself; what comes here was to be written.
  if (named?.code === 'ENOENT' && named.syscall === 'open') return fileFailure(named.path!, error, 'write');
  if (typeof named?.code === 'string' && DISK.has(named.code)) {
    const { message } = named.path === undefined ? named : fileTrouble(named.path, error, 'write');
    return new SvcError('disk', message, {
      hint: 'free some space or mend the permissions, then run the command again',
      cause: error,
    });
  }
  const message = debug ? (named?.stack ?? String(error)) : (named?.message ?? String(error));
  return new SvcError('unexpected', `unexpected: ${message}`, {
    hint: debug ? 'please report this' : 'run it again with --debug for the trace, and please report it',
    cause: error,
  });
}

const DISK = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'EFBIG',
  'EISDIR',
  'ENOTDIR',
]);

function fromApi(error: ApiError): SvcError {
  const details = error.details.map(
    ({ index, field, message }) => `${index === undefined ? '' : `[${index}] `}${field} ${message}`,
  );
  const shown =
    details.slice(0, 5).join('; ') + (details.length > 5 ? `; and ${details.length - 5} more` : '');
  const message = `${error.message.replace(/\.$/, '')}${shown ? `: ${shown}` : ''} (HTTP ${error.status})`;
  const words = { requestId: error.requestId, cause: error };
  switch (error.status) {
    case 401:
      return new SvcError('unauthorized', message, {
        ...words,
        hint: 'check the key: `svc profiles show`, or set SVC_API_KEY',
      });
    case 403:
      return new SvcError('forbidden', message, {
        ...words,
        hint: 'check that the workspace and the key belong together: `svc profiles show`',
      });
    case 404:
      return new SvcError('not_found', message, {
        ...words,
        hint: 'check the identifier and the base URL: `svc doctor`',
      });
    case 405:
    case 501:
      return new SvcError('not_offered', `the service does not offer this operation (HTTP ${error.status})`, {
        ...words,
        hint: 'see what it offers with `svc doctor`',
      });
    case 429:
      return new SvcError('rate_limited', message, {
        ...words,
        hint: 'see `svc limits`, wait, and run it again; --max-retries raises the patience',
      });
  }
  if (error.status >= 500)
    return new SvcError('unavailable', message, {
      ...words,
      hint: 'try again in a moment; `svc doctor` looks closer',
    });
  if (error.status >= 300 && error.status < 400) {
    return new SvcError(
      'refused',
      `the service redirects (HTTP ${error.status}), which svc does not follow: the key goes nowhere else`,
      { ...words, hint: 'correct the base URL: `svc profiles show`' },
    );
  }
  return new SvcError('refused', message, { ...words, hint: 'correct the request and run it again' });
}

function fromTransport(error: TransportError): SvcError {
  switch (error.reason) {
    case 'unreachable':
      return new SvcError('unreachable', error.message, {
        hint: 'check the address and the network: `svc doctor`',
        cause: error,
      });
    case 'timeout':
      return new SvcError('timeout', error.message, {
        hint: 'raise --timeout, or look closer with `svc doctor`',
        cause: error,
      });
    case 'aborted':
      return new SvcError('interrupted', 'interrupted', {
        hint: 'run the command again to go on',
        cause: error,
      });
    case 'answer':
      return new SvcError('unavailable', error.message, {
        hint: 'check the base URL: `svc doctor`',
        cause: error,
      });
    case 'lost':
      return new SvcError('in_doubt', error.message, {
        hint: 'the request may have been carried out: check before you send it again',
        cause: error,
      });
  }
}
