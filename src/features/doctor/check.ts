import type { SvcError } from '../../cli/errors/svc-error.ts';

/** The result of one check. */
export interface Check {
  readonly check: string;
  /** `skipped`: could not be checked, or does not apply. Only `fail` changes the exit code. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** The finding, as text. */
  readonly seen: string;
  /** The next step for a warning. */
  readonly next?: string | undefined;
  /** The error of a failed check, which gives the next step and the exit code. */
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

/** The failure with the highest exit code; the first one if several have it. */
export function worst(checks: readonly Check[]): SvcError | undefined {
  return checks
    .flatMap(({ failure }) => failure ?? [])
    .reduce<SvcError | undefined>(
      (most, next) => (most === undefined || next.exitCode > most.exitCode ? next : most),
      undefined,
    );
}
