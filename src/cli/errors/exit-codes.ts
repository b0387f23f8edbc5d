/** The exit codes; the same with and without --json. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  notConfigured: 4,
  refused: 5,
  unavailable: 6,
  partial: 7,
  signature: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'unexpected: a bug, a full disk',
  2: 'usage: a bad flag, a missing or unreadable file, an unfinished import without --resume or --restart',
  4: 'not configured or not authorised: no profile, no key, 401, 403',
  5: 'refused: any other 4xx, an unsupported operation, a notification that failed, a failed conformance row',
  6: 'unavailable or outcome unknown: network, timeout, 5xx, 429 after the last retry, an expired --wait',
  7: 'partly done: some records or lines rejected, the rest done; --max-errors reached',
  8: 'mismatch of a signature or a catalog',
  130: 'interrupted',
};
