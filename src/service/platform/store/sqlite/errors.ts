import { ConstraintViolation, StoreNotOpened, StoreUnavailable, StoreUnusable } from '../store.ts';

/** The error of the store that an error of the driver on the file at `path` is; any other error as it is. */
export function toStoreError(error: unknown, path: string): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  // libsql reports a file that it cannot open without a code.
  if (code === '') return /^ConnectionFailed/.test(message) ? new StoreNotOpened(path, error) : error;
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error;
  if (code.startsWith('SQLITE_CONSTRAINT')) return new ConstraintViolation(message, error);
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new StoreUnusable(
      `${path} is damaged or is not an SQLite file (${message}): restore a backup, or pass another file`,
      error,
    );
  }
  if (/^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(code)) {
    return new StoreUnavailable(`${path}: ${message}`, error);
  }
  return error;
}

/** Another connection holds a lock. */
export const isBusy = (error: unknown) =>
  error instanceof StoreUnavailable && /^SQLITE_BUSY/.test(codeOf(error));
/** What was written may not be on disk. */
export const isFailedSync = (error: unknown) => /FSYNC/.test(codeOf(error));
/** The code of SQLite, of an error of the driver or of the store. */
const codeOf = (error: unknown) =>
  String(((error instanceof StoreUnavailable ? error.cause : error) as { code?: unknown } | undefined)?.code);
