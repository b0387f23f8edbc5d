import type { Difference } from './differences.ts';

/**
 * The import cannot start. An earlier run of it is `unfinished`, its input has `changed`, or it had other `options`; or
 * the journal belongs to `another` import, or the rejects file does (`rejects`, see RejectsTaken); or a run of it is being
 * taken back (`undoing`, see RunUndoing).
 */
export class ImportRefused extends Error {
  readonly reason: 'unfinished' | 'changed' | 'options' | 'another' | 'rejects' | 'undoing';
  /** The earlier run has finished. */
  readonly finished: boolean;
  readonly differences: readonly Difference[];
  /** It has finished, and records were appended to its inputs since. */
  readonly appended: boolean;
  /** Where it has finished: the file with the records that were rejected, as the user would name it. */
  readonly rejects: string | undefined;

  constructor(
    reason: ImportRefused['reason'],
    finished = false,
    found: readonly Difference[] = [],
    appended = false,
    rejects?: string,
  ) {
    super(`the import cannot start: ${reason}`);
    this.name = 'ImportRefused';
    this.reason = reason;
    this.finished = finished;
    this.differences = found;
    this.appended = appended;
    this.rejects = rejects;
  }
}

/** The rejects file belongs to another import. */
export class RejectsTaken extends ImportRefused {
  /** The file as the user named it. */
  readonly path: string;
  /** Of the other import; `ended` if it has finished, or is not known. */
  readonly state: 'running' | 'unfinished' | 'ended';

  constructor(path: string, state: RejectsTaken['state'], found: readonly Difference[]) {
    super('rejects', false, found);
    this.path = path;
    this.state = state;
  }
}

/** A run of the import is being taken back: until that has ended, its records cannot be sent again. */
export class RunUndoing extends ImportRefused {
  readonly run: string;

  constructor(run: string) {
    super('undoing');
    this.run = run;
  }
}
