import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { toSvcError } from '../../../cli/errors/to-svc-error.ts';
import { shell, shellPath } from '../../../kit/shell.ts';
import { InputChanged } from '../batch/batch.ts';
import { JournalError } from '../journal/journal-error.ts';
import { ImportRefused, type RejectsTaken } from '../open-or-resume.ts';
import { RejectsForeign } from '../report/rejects-file.ts';
import { CountMismatch } from '../report/result.ts';
import type { ImportEnd } from '../run.ts';
import { Refused } from '../send/delivery.ts';
import { Unavailable } from '../send/outage.ts';
import { InputError } from '../transform/input-error.ts';
import type { FixingFlag } from '../transform/validation-errors.ts';
import { earlierText, type RecoveryCommands } from './recovery-commands.ts';

/** Turns what stopped an import into a failure of the catalogue. */
export function toImportError(error: unknown, ways: RecoveryCommands, debug: boolean): SvcError {
  if (error instanceof InputError) return input(error, ways);
  if (error instanceof ImportRefused) return refused(error, ways);
  if (error instanceof InputChanged)
    return new SvcError('input_changed', strip(error.message), {
      hint: `nothing more was sent; to send all of it as it is now: ${ways.restart}`,
      cause: error,
    });
  if (error instanceof RejectsForeign)
    return new SvcError('file', error.message, {
      hint: `${shell`move it away, then go on: mv ${error.path} ${`${error.path}.kept`}`} && ${ways.resume}`,
      cause: error,
    });
  if (error instanceof JournalError) return journal(error, ways);
  if (error instanceof CountMismatch)
    return new SvcError('count_mismatch', error.message, { hint: 'please report it', cause: error });
  if (error instanceof Refused) return answered(error, ways, debug);
  if (error instanceof Unavailable) return unavailable(error, ways);
  const other = toSvcError(error, debug);
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return other.code === 'disk' && !DENIED.has(code) && !/readonly/.test(message)
    ? new SvcError('disk', other.message, { hint: diskHint(ways), cause: error })
    : other;
}

/** What no free space would mend. */
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR']);

/** Where records come from that are to be mended: the inputs as they were named, in the folder of the command. */
export interface FixSource {
  readonly inputs: readonly string[];
  readonly format: string | undefined;
  readonly cwd: string;
}

/** What an import that ran to an end with rejects is called. */
export function partialImportError(
  { result, reasons, faulty }: Pick<ImportEnd, 'result' | 'reasons' | 'faulty'>,
  ways: RecoveryCommands,
  { inputs, format, cwd }: FixSource,
): SvcError {
  const rejects = `${result.rejected} of ${result.read} records were rejected; see ${result.rejectsFile}`;
  const mending = reasons.fixableBy;
  const more = mending.flatMap((flag) => MENDING[flag]);
  const flags = mending.map((flag) => MENDING[flag][0]!.slice(2));
  if (
    flags.length > 0 &&
    (faulty || result.rejected === result.read) &&
    result.accepted + result.skipped === 0
  ) {
    const begun = faulty ? [...more, '--restart'] : more;
    const code = faulty ? 'too_many_errors' : 'partial';
    return new SvcError(code, rejects, {
      hint: `none of it arrived; to send it: ${ways.without(flags, begun)}`,
    });
  }
  if (faulty)
    return new SvcError('too_many_errors', `stopped at the limit on errors: ${rejects}`, {
      hint: ways.resume,
    });
  const csv = format === 'csv' || (format === undefined && CSV.test(inputs[0] ?? ''));
  const mended = freeName('mended', csv ? '.csv' : '.ndjson', cwd);
  const raw = `jq -r .raw ${shellPath(result.rejectsFile ?? '')}`;
  return new SvcError('partial', rejects, {
    hint: `take them out: ${csv ? `(${headerOf(inputs[0] ?? '')}; ${raw})` : raw} > ${mended}
        ${flags.length > 0 ? 'then' : 'mend them there, then'}: ${ways.instead(inputs, mended, flags, more)}`,
  });
}

const CSV = /\.[ct]sv(\.gz|\.zst)?$/i;

/** How the flags are typed that would have taken a record. */
const MENDING: Readonly<Record<FixingFlag, readonly string[]>> = {
  'convert-timestamps': ['--convert-timestamps'],
  'extra-fields': ['--extra-fields', 'properties'],
  'drop-fields': ['--extra-fields', 'drop'],
};

/** A name that no file has yet: the one of an earlier round is the input of this one, or holds what was not sent. */
function freeName(stem: string, extension: string, cwd: string): string {
  for (let n = 1; ; n++) {
    const name = `${stem}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
}

/** The shell's way to the header line of a CSV, which its rows need again. */
function headerOf(input: string): string {
  if (input === '-') return "echo 'THE HEADER LINE'";
  const unpack = { gz: 'gzip -dc', zst: 'zstd -dc' }[input.split('.').at(-1)!.toLowerCase()];
  return unpack ? `${unpack} ${shellPath(input)} | head -n 1` : `head -n 1 ${shellPath(input)}`;
}

export function interruptedImportError(ways: RecoveryCommands): SvcError {
  return new SvcError('interrupted', 'interrupted; what was sent is on record', { hint: ways.resume });
}

export function closedFailure(ways: RecoveryCommands): SvcError {
  return new SvcError(
    'interrupted',
    'standard output was closed before all was sent; what was sent is on record',
    {
      hint: `${ways.resume}\n        to have all of it printed, sent again: ${ways.restart}`,
    },
  );
}

function input(error: InputError, ways: RecoveryCommands): SvcError {
  const { flags, note } = error;
  const step = flags ? ways.without(flags.without, flags.more) : error.hint;
  return new SvcError('file', strip(error.message), {
    hint: note ? `${step}\n        ${note}` : step,
    cause: error,
  });
}

function refused(error: ImportRefused, ways: RecoveryCommands): SvcError {
  const { finished, differences } = error;
  const which = finished
    ? 'the earlier import of this input, which finished,'
    : 'the unfinished import of this input';
  const differing = differences.length > 0 && `began ${earlierText(differences)}`;
  const rest = ways.resumeAs(differences);
  const both = `to send the rest${differing ? ' as it began' : ''}: ${rest}\n        to send all again: ${ways.restart}`;
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
          hint: `to send all of it as it is now: ${ways.restart}`,
          ...cause,
        },
      );
    case 'options':
      return new SvcError('usage', `${which} ${differing}`, {
        hint:
          finished && !error.appended
            ? `nothing of it is left to send; to send all again: ${ways.restart}`
            : both,
        ...cause,
      });
    case 'rejects':
      return rejectsTaken(error as RejectsTaken, ways);
    case 'another':
      return new SvcError(
        'usage',
        `the journal that --checkpoint names is that of another import, ${earlierText(differences)}`,
        {
          hint: `give this one its own: ${ways.without(['checkpoint'])}`,
          ...cause,
        },
      );
  }
}

function rejectsTaken(error: RejectsTaken, ways: RecoveryCommands): SvcError {
  const own = `${error.path.replace(/(\.rejects)?\.ndjson$/, '')}.2.rejects.ndjson`;
  const which = error.differences.length > 0 ? ` (it began ${earlierText(error.differences)})` : '';
  return new SvcError(
    'usage',
    error.underWay
      ? `${error.path} takes the rejects of another import, which is under way`
      : `${error.path} holds the rejects of another import, which is unfinished${which}`,
    {
      hint: `finish that one first, or give this one a file of its own: ${ways.without(['rejects'], ['--rejects', own])}`,
      cause: error,
    },
  );
}

function journal(error: JournalError, ways: RecoveryCommands): SvcError {
  const cause = { cause: error };
  switch (error.reason) {
    case 'locked':
      return new SvcError('locked', `another process is at work on this import (${error.path})`, {
        hint: 'wait for it, or give this one a journal of its own with --checkpoint FILE',
        ...cause,
      });
    case 'denied':
      return new SvcError('data', `the journal ${error.path} may not be written by you`, {
        hint: 'mend its permissions, or keep the journal elsewhere with --checkpoint FILE',
        ...cause,
      });
    case 'full':
      return new SvcError('disk', `the journal ${error.path} could not be written`, {
        hint: diskHint(ways),
        ...cause,
      });
    case 'broken':
      return new SvcError('data', `the journal ${error.path} is damaged, or is none`, {
        hint: `restore it, or send all again with another: ${ways.without(['checkpoint'], ['--restart', '--checkpoint', `${error.path}.new`])}`,
        ...cause,
      });
  }
}

function diskHint(ways: RecoveryCommands): string {
  return `free some space, then go on; nothing is lost: ${ways.resume}`;
}

function answered({ answer }: Refused, ways: RecoveryCommands, debug: boolean): SvcError {
  const base = toSvcError(answer.error ?? new Error(answer.message ?? `HTTP ${answer.status}`), debug);
  return new SvcError(base.code, base.message, {
    hint: (invocation) => `${base.hintFor(invocation)}; then go on: ${ways.resume}`,
    requestId: answer.requestId,
    cause: base,
  });
}

function unavailable(error: Unavailable, ways: RecoveryCommands): SvcError {
  const cause = error.cause as { cause?: unknown } | undefined;
  const code = cause?.cause
    ? toSvcError(cause.cause, false).code
    : error.rateLimited
      ? 'rate_limited'
      : 'unavailable';
  return new SvcError(code, strip(error.message), {
    hint: `when the service is back: ${ways.resume} (--max-wait 1h waits for it)`,
    cause: error,
  });
}

function strip(message: string): string {
  return message.replace(/\.$/, '');
}
