/** The journal cannot be used, for one of the known reasons. */
export class JournalError extends Error {
  readonly reason: 'locked' | 'denied' | 'full' | 'broken';
  readonly path: string;

  constructor(reason: JournalError['reason'], path: string, cause: unknown) {
    super(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'JournalError';
    this.reason = reason;
    this.path = path;
  }
}

/** Returns SQLite's name for an error. If the file could not be opened, only the message has its number. */
function codeOf(error: unknown): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code) return code;
  const number = /ConnectionFailed\(.*: (\d+)"?\)/.exec(message)?.[1];
  return { '5': 'BUSY', '8': 'READONLY', '13': 'FULL', '14': 'CANTOPEN' }[number ?? ''] ?? '';
}

/** Converts a known error to a JournalError; returns other errors unchanged. */
export function toJournalError(path: string, error: unknown): unknown {
  if (error instanceof JournalError) return error;
  const code = codeOf(error);
  if (/BUSY|LOCKED/.test(code)) return new JournalError('locked', path, error);
  if (/READONLY|CANTOPEN|PERM|AUTH|EACCES|EPERM|EROFS/.test(code))
    return new JournalError('denied', path, error);
  if (/FULL|IOERR|ENOSPC|EFBIG|EDQUOT/.test(code)) return new JournalError('full', path, error);
  if (/NOTADB|CORRUPT/.test(code)) return new JournalError('broken', path, error);
  return error;
}
