import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { toSvcError } from '../../../cli/errors/to-svc-error.ts';
import { NotAcknowledged } from '../../../client/acknowledgement.ts';
import { shell } from '../../../kit/shell.ts';
import { InputChanged } from '../deliver/batch.ts';
import { ImportRefused, type RejectsTaken, type RunUndoing } from '../deliver/import-refused.ts';
import { JournalError } from '../deliver/journal/journal-error.ts';
import { Unavailable } from '../deliver/outage.ts';
import { numbered, RejectsDenied, RejectsForeign } from '../deliver/rejects-file.ts';
import { Refused } from '../deliver/send.ts';
import { NotUtf8 } from '../formats/not-utf8.ts';
import { encodingStep, likelyEncodings } from '../guess/likely-encodings.ts';
import { InputError } from '../input/input-error.ts';
import { Stopped } from '../input/stopped.ts';
import { earlierText, type RecoveryCommands } from './recovery-commands.ts';
import { CountMismatch } from './result.ts';

/** Converts the error that stopped an import to an SvcError with the command to run next. */
export function toImportError(error: unknown, recovery: RecoveryCommands, debug: boolean): SvcError {
  if (error instanceof InputError) return inputError(error, recovery);
  if (error instanceof Stopped)
    return new SvcError('interrupted', error.message, {
      hint: (invocation) => invocation.rerunWith(),
      cause: error,
    });
  if (error instanceof ImportRefused) return refusedImport(error, recovery);
  if (error instanceof InputChanged)
    return new SvcError('input_changed', withoutPeriod(error.message), {
      hint: `nothing more was sent; to send all of it as it is now: ${recovery.restart}`,
      cause: error,
    });
  if (error instanceof RejectsForeign)
    return new SvcError('file', error.message, {
      hint: `${shell`move it away, then resume: mv ${error.path} ${`${error.path}.kept`}`} && ${recovery.resume}`,
      cause: error,
    });
  if (error instanceof RejectsDenied) {
    const elsewhere = join(homedir(), basename(error.path));
    return new SvcError('disk', error.message, {
      hint: `write it elsewhere: ${recovery.without(['rejects'], ['--rejects', elsewhere, '--resume'])}`,
      cause: error,
    });
  }
  if (error instanceof JournalError) return journalError(error, recovery);
  if (error instanceof CountMismatch)
    return new SvcError('count_mismatch', error.message, { hint: 'please report it', cause: error });
  if (error instanceof NotAcknowledged) return notAcknowledged(error, recovery);
  if (error instanceof Refused) return refusedRequest(error, recovery, debug);
  if (error instanceof Unavailable) return unavailable(error, recovery);
  const other = toSvcError(error, debug);
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return other.code === 'disk' && !DENIED.has(code) && !/readonly/.test(message)
    ? new SvcError('disk', other.message, { hint: diskHint(recovery), cause: error })
    : other;
}

/** Errors that freeing disk space would not fix. */
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR']);

export function interruptedImportError(recovery: RecoveryCommands): SvcError {
  return new SvcError('interrupted', 'interrupted; the progress is saved', { hint: recovery.resume });
}

/** A dry run keeps no progress. */
export function interruptedPlanError(): SvcError {
  return new SvcError('interrupted', 'interrupted; the plan covers only what was read', {
    hint: (invocation) => invocation.rerunWith(),
  });
}

function inputError(error: InputError, recovery: RecoveryCommands): SvcError {
  const { flags, note, prepare } =
    error instanceof NotUtf8 ? { ...error, ...encodingStep(likelyEncodings(error.bytes)) } : error;
  const step = flags
    ? recovery.without(flags.without, flags.more)
    : prepare
      ? `${prepare.by} ${prepare.makes === '-' ? '|' : '&&'} ${recovery.replacing(prepare.name, prepare.makes, prepare.flags)}`
      : error.hint;
  return new SvcError('file', withoutPeriod(error.message), {
    hint: note ? `${step}\n        ${note}` : step,
    cause: error,
  });
}

function refusedImport(error: ImportRefused, recovery: RecoveryCommands): SvcError {
  const { finished, differences } = error;
  const which = finished
    ? 'the earlier import of this input, which finished,'
    : 'the unfinished import of this input';
  const differing = differences.length > 0 && `began ${earlierText(differences)}`;
  const rest = recovery.resumeAs(differences);
  const both = `to send the rest${differing ? ' as it began' : ''}: ${rest}\n        to send all again: ${recovery.restart}`;
  const cause = { cause: error };
  switch (error.reason) {
    case 'unfinished':
      return new SvcError(
        'unfinished_import',
        `an earlier import of this input is unfinished${differing ? `; it ${differing}` : ''}`,
        { hint: both, ...cause },
      );
    case 'changed':
      return new SvcError(
        'input_changed',
        'the input changed since the import that --resume would continue',
        {
          hint: `to send all of it as it is now: ${recovery.restart}`,
          ...cause,
        },
      );
    case 'options':
      return new SvcError('usage', `${which} ${differing}`, {
        hint: finished && !error.appended ? sentText(error, recovery) : both,
        ...cause,
      });
    case 'rejects':
      return rejectsTaken(error as RejectsTaken, recovery);
    case 'undoing':
      return new SvcError('unfinished_import', 'a run of an import of this input is being taken back', {
        hint: (invocation) =>
          `end that first: ${invocation.onSameService('imports', 'undo', (error as RunUndoing).run, '--yes')}`,
        ...cause,
      });
    case 'another':
      return new SvcError(
        'usage',
        `the journal given by --checkpoint belongs to another import, ${earlierText(differences)}`,
        {
          hint: `use the journal of this import: ${recovery.without(['checkpoint'])}`,
          ...cause,
        },
      );
  }
}

function rejectsTaken(error: RejectsTaken, recovery: RecoveryCommands): SvcError {
  const which = error.differences.length > 0 ? ` (it began ${earlierText(error.differences)})` : '';
  const state = { running: ', which is running', unfinished: `, which is unfinished${which}`, ended: '' };
  const other = recovery.without(['rejects'], ['--rejects', numbered(error.path, 2)]);
  return new SvcError('usage', `${error.path} is the rejects file of another import${state[error.state]}`, {
    hint:
      error.state === 'ended'
        ? `it is never replaced; use another file: ${other}`
        : `finish that import first, or use another file: ${other}`,
    cause: error,
  });
}

/** What to do about a finished import that would run with other options. */
function sentText({ rejects }: ImportRefused, { restart }: RecoveryCommands): string {
  return rejects === undefined
    ? `all of it was sent; to send it again: ${restart}`
    : `what was rejected is in ${rejects}, the rest was accepted; to send all of it again: ${restart}`;
}

function journalError(error: JournalError, recovery: RecoveryCommands): SvcError {
  const cause = { cause: error };
  switch (error.reason) {
    case 'locked':
      return new SvcError('locked', `another process is running this import (${error.path})`, {
        hint: 'wait until it ends, or end it and resume; another journal (--checkpoint FILE) would send all of it a second time',
        ...cause,
      });
    case 'denied':
      return new SvcError('data', `cannot write the journal ${error.path}: permission denied`, {
        hint: 'fix its permissions; with another journal (--checkpoint FILE) all of it is sent, also what was sent before',
        ...cause,
      });
    case 'full':
      return new SvcError('disk', `cannot write the journal ${error.path}`, {
        hint: diskHint(recovery),
        ...cause,
      });
    case 'broken':
      return new SvcError('data', `the journal ${error.path} is damaged or is not a journal`, {
        hint: `restore it, or send everything again with a new journal: ${recovery.without(['checkpoint'], ['--restart', '--checkpoint', `${error.path}.new`])}`,
        ...cause,
      });
  }
}

function diskHint(recovery: RecoveryCommands): string {
  return `free some disk space, then resume; nothing is lost: ${recovery.resume}`;
}

function refusedRequest({ answer }: Refused, recovery: RecoveryCommands, debug: boolean): SvcError {
  const base = toSvcError(answer.error ?? new Error(answer.message ?? `HTTP ${answer.status}`), debug);
  return new SvcError(base.code, base.message, {
    hint: (invocation) => `${base.hintFor(invocation)}; then resume: ${recovery.resume}`,
    requestId: answer.requestId,
    cause: base,
  });
}

function notAcknowledged(error: NotAcknowledged, recovery: RecoveryCommands): SvcError {
  return new SvcError('not_acknowledged', error.message, {
    hint: error.contradicts
      ? (invocation) =>
          `find out what answers: ${invocation.onSameService('doctor')}\n        then resume: ${recovery.resume}`
      : `if this service acknowledges like that: ${recovery.without([], ['--resume', '--accept-any-answer'])}`,
    cause: error,
  });
}

function unavailable(error: Unavailable, recovery: RecoveryCommands): SvcError {
  const cause = error.cause as { cause?: unknown } | undefined;
  const code = cause?.cause
    ? toSvcError(cause.cause, false).code
    : error.rateLimited
      ? 'rate_limited'
      : 'unavailable';
  return new SvcError(code, withoutPeriod(error.message), {
    hint: `when the service is back: ${recovery.resume} (--max-wait 1h waits for it)`,
    cause: error,
  });
}

function withoutPeriod(message: string): string {
  return message.replace(/\.$/, '');
}
