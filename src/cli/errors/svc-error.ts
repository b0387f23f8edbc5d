import { type Invocation, NO_INVOCATION } from '../invocation/invocation.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Every error `code` of the command line with its exit code and its meaning. */
export const CLI_ERRORS = {
  unexpected: { exit: EXIT.unexpected, means: 'a bug in svc' },
  disk: { exit: EXIT.unexpected, means: 'a file could not be written (full disk, no permission)' },
  plugin: { exit: EXIT.unexpected, means: 'a plugin failed; it may exit with another code of its own' },
  count_mismatch: { exit: EXIT.unexpected, means: 'an import whose counts do not add up: a bug in svc' },
  usage: { exit: EXIT.usage, means: 'a flag or an argument is missing, unknown or wrong' },
  file: { exit: EXIT.usage, means: 'a file is missing, unreadable or of the wrong kind' },
  preflight: {
    exit: EXIT.usage,
    means: 'most of the first records would be rejected: nothing was sent',
  },
  unfinished_import: {
    exit: EXIT.usage,
    means: 'an earlier import of this input is unfinished: --resume or --restart',
  },
  input_changed: {
    exit: EXIT.usage,
    means: 'the input changed since the import that --resume would continue',
  },
  locked: { exit: EXIT.usage, means: 'another process is at work on the same journal' },
  personal_data: {
    exit: EXIT.usage,
    means: 'a value looks like personal data, which must not leave your systems',
  },
  port_taken: { exit: EXIT.usage, means: 'the port to listen on is taken' },
  data: {
    exit: EXIT.usage,
    means: 'local data or a settings file is damaged, not ours, or written by a newer svc',
  },
  not_configured: { exit: EXIT.notConfigured, means: 'no profile and no environment names a service' },
  unauthorized: { exit: EXIT.notConfigured, means: 'the service rejected the key (401)' },
  forbidden: { exit: EXIT.notConfigured, means: 'the key belongs to another workspace (403)' },
  refused: { exit: EXIT.refused, means: 'the service refused the request (4xx)' },
  not_found: { exit: EXIT.refused, means: 'the resource does not exist (404)' },
  not_offered: { exit: EXIT.refused, means: 'the service does not offer this operation (404, 405, 501)' },
  not_acknowledged: {
    exit: EXIT.refused,
    means: 'a 2xx that does not say that the records are stored (--accept-any-answer)',
  },
  failed: { exit: EXIT.refused, means: 'the requested operation failed' },
  unreachable: { exit: EXIT.unavailable, means: 'the service cannot be reached' },
  unavailable: { exit: EXIT.unavailable, means: 'the service failed (5xx) or sent no usable response' },
  timeout: { exit: EXIT.unavailable, means: 'no response in time' },
  rate_limited: { exit: EXIT.unavailable, means: 'over the limit (429) after the last retry' },
  in_doubt: {
    exit: EXIT.unavailable,
    means: 'the response was lost: the request may or may not have been processed',
  },
  partial: { exit: EXIT.partial, means: 'some records were rejected, the rest is done' },
  too_many_errors: { exit: EXIT.partial, means: '--max-errors was reached' },
  differs: { exit: EXIT.signature, means: 'two catalogs differ, or a catalog has errors' },
  signature_mismatch: { exit: EXIT.signature, means: 'the signature does not match the body' },
  interrupted: { exit: EXIT.interrupted, means: 'stopped by Ctrl-C or SIGTERM' },
} as const satisfies Record<string, { exit: ExitCode; means: string }>;

export type CliErrorCode = keyof typeof CLI_ERRORS;

/** The next step: text, or a function that makes it from the command line. */
export type Hint = string | ((invocation: Invocation) => string);

/** An error for the user: what happened, and as `hint` the next step, preferably a command that can be pasted. */
export class SvcError extends Error {
  readonly code: CliErrorCode;
  readonly requestId: string | undefined;
  readonly #hint: Hint;

  constructor(
    code: CliErrorCode,
    message: string,
    { hint, requestId, cause }: { hint: Hint; requestId?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'SvcError';
    this.code = code;
    this.#hint = hint;
    this.requestId = requestId;
  }

  get exitCode(): number {
    return CLI_ERRORS[this.code].exit;
  }

  /** The hint for an error that is not tied to a command line. */
  get hint(): string {
    return this.hintFor(NO_INVOCATION);
  }

  hintFor(invocation: Invocation): string {
    return typeof this.#hint === 'string' ? this.#hint : this.#hint(invocation);
  }

  /** The object that `--json` prints on stderr. */
  toJson(invocation: Invocation): { error: Record<string, unknown> } {
    return {
      error: {
        code: this.code,
        message: this.message,
        hint: oneLine(this.hintFor(invocation)),
        requestId: this.requestId ?? null,
        exitCode: this.exitCode,
      },
    };
  }
}

/**
 * Joins the lines of a hint, which are for a person, into one line. What follows a command is a comment to a shell, so that
 * the first command can be pasted with all that follows.
 */
function oneLine(hint: string): string {
  return hint.trim().replace(/\s*\n\s*/g, ' # ');
}
