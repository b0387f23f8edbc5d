import type { SvcError } from '../../cli/errors/svc-error.ts';

/** One thing that doctor looked at. */
export interface Check {
  readonly check: string;
  /** `skipped`: could not be looked at, or does not apply. Only `fail` changes the exit code. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** What was seen, in words. */
  readonly seen: string;
  /** What to do about it, where it did not fail. */
  readonly next?: string | undefined;
  /** Why it failed, and what to do: gives the exit code. */
  readonly failure?: SvcError | undefined;
}

export const ok = (check: string, seen: string): Check => ({ check, status: 'ok', seen });
export const skipped = (check: string, seen: string): Check => ({ check, status: 'skipped', seen });
export const warn = (check: string, seen: string, next: string): Check => ({
  check,
  status: 'warn',
  seen,
  next,
});
export const fail = (check: string, failure: SvcError): Check => ({
  check,
  status: 'fail',
  seen: failure.message,
  failure,
});

/** The failure with the highest exit code, the first of equals. */
export function worst(checks: readonly Check[]): SvcError | undefined {
  return checks
    .flatMap(({ failure }) => failure ?? [])
    .reduce<SvcError | undefined>(
      (most, next) => (most === undefined || next.exitCode > most.exitCode ? next : most),
      undefined,
    );
}
