import { pino } from 'pino';
import type { Log } from '../platform/log.ts';

/** Names of fields that contain a secret or personal data. */
const MASKED_FIELDS = [
  'apiKey',
  'authorization',
  'password',
  'secret',
  'signingSecret',
  'headers',
  'dataKey',
  'name',
  'phone',
  'accountNumber',
  'email',
  'traits',
  'variables',
  'properties',
];

/** Secrets recognized by their form anywhere in a line: API keys, bearer tokens, passwords in URLs. */
const MASKED_TEXTS: readonly [RegExp, string][] = [
  [/\b(sk_(?:test|live)_)\w+/g, '$1***'],
  [/\b(Bearer )[\w.~+/=-]+/g, '$1***'],
  [/(\b\w+:\/\/[^/?#@:\s"]*):[^/?#\s"]*@/g, '$1:***@'],
];

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Creates the service's log: one JSON object per line (pino), with `level`, `time` (ISO 8601) and `message`. Secrets and
 * personal fields are masked. `write` receives each line without its line break; `now` is in Unix ms; `base` are fields of
 * every line.
 */
export function createLog(
  write: (line: string) => void,
  now: () => number,
  level: LogLevel = 'info',
  base: Readonly<Record<string, unknown>> | null = null,
): Log {
  const logger = pino(
    {
      level,
      base,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      redact: { paths: MASKED_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '***' },
    },
    { write: (line: string) => write(masked(line.trimEnd())) },
  );
  return (at, message, fields = {}) => logger[at](fields, message);
}

function masked(line: string): string {
  return MASKED_TEXTS.reduce((text, [secret, mask]) => text.replace(secret, mask), line);
}
