import { shell, shellWord } from '../../kit/shell.ts';
import { type CliErrorCode, SvcError } from '../errors/svc-error.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** A line of a batch that failed. */
export interface Failure {
  readonly error: SvcError;
  /** Whether the service accepted the request before the line failed; null where it is not known. */
  readonly accepted: boolean | null;
}

/** Errors after which it is not known whether a request was accepted. */
export const IN_DOUBT: ReadonlySet<CliErrorCode> = new Set(['in_doubt', 'interrupted', 'unexpected']);

/**
 * Returns the error `partial` for the failed lines of a batch, with the command that retries them. Requests with side
 * effects are retried only where they were certainly not accepted; the other lines are counted, with what to do.
 */
export function failedLines(failures: readonly Failure[], lines: number, hasEffects: boolean): SvcError {
  const total = `${failures.length} of ${lines} ${lines === 1 ? 'line' : 'lines'} failed`;
  const retry = (which: string, filter: string) => (invocation: Invocation) =>
    `to retry ${which}: ${shell`jq -cr ${filter}`} OUTPUT | ${invocation.rerunWith('--input', '-')}`;
  const reasons = 'OUTPUT (the printed lines) has the reasons; ';
  if (!hasEffects)
    return new SvcError('partial', total, {
      hint: (invocation) => reasons + retry('the failed lines', 'select(.error).request')(invocation),
    });
  const kinds = KINDS.map((kind) => ({
    ...kind,
    count: failures.filter(({ accepted }) => accepted === kind.accepted).length,
  })).filter(({ count }) => count > 0);
  const words = kinds.map(({ count, one, many }) => `${count} ${count === 1 ? one : many}`);
  return new SvcError('partial', `${total}: ${words.join(', ')}`, {
    hint: (invocation) => {
      const steps = kinds.map(({ accepted, many, filter }) =>
        accepted === false
          ? retry(`those that ${many}`, `${filter}.request`)(invocation)
          : `do not send those that ${many} again; what to do about each: jq -r ${shellWord(`${filter}.error | .message, .hint`)} OUTPUT`,
      );
      return reasons + steps.join('\n');
    },
  });
}

/** What can be known of the request of a failed line, and the jq filter that selects those lines. */
const KINDS = [
  {
    accepted: false,
    one: 'was not accepted',
    many: 'were not accepted',
    filter: 'select(.accepted == false)',
  },
  { accepted: true, one: 'was accepted', many: 'were accepted', filter: 'select(.accepted)' },
  {
    accepted: null,
    one: 'may have been accepted',
    many: 'may have been accepted',
    filter: 'select(.error and .accepted == null)',
  },
] as const;
