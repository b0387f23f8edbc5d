/** Writes a structured log line. The caller decides where it goes. Never pass secrets or personal fields. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void;
