/** Structured log lines; the caller decides where they go. Never given secrets or personal fields. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void;
