import type { Clock } from '../../../kit/clock.ts';
import type { Answer, Send } from '../deliver/send.ts';
import type { OpenPipe } from '../formats/open.ts';
import type { Reading } from '../formats/reading.ts';
import type { Downloads } from '../input/downloads.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Progress } from '../report/progress-tracker.ts';
import type { Traffic } from '../report/result.ts';
import type { ImportName } from './identity.ts';

/** The options of an import. */
export interface ImportOptions {
  readonly name: ImportName;
  /** Where the content of addresses is. */
  readonly downloads?: Downloads | undefined;
  /** How inputs are read. */
  readonly reading: Reading;
  readonly mapping: Mapping;
  /** Stop if most records of the sample would be rejected. */
  readonly preflight: boolean;
  readonly concurrency: number;
  readonly maxErrors: number | undefined;
  /** Milliseconds. */
  readonly flushInterval: number;
  readonly maxWait: number;
  readonly mode: 'fresh' | 'resume' | 'restart';
  readonly journal: string;
  readonly rejects: string;
  /** `--rejects` named that file, so that no other may be written. */
  readonly rejectsNamed?: boolean | undefined;
  /** The name of that file is derived from the inputs: it was not given by the user, and no input is a pipe. */
  readonly rejectsOfInputs: boolean;
  /** The folder with the files that imports of this user share. */
  readonly claims: string;
  /** The command that resumes the import. */
  readonly resumeCommand: string;
}

/** The dependencies of an import. */
export interface ImportWorld {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Opens a FIFO; `stop` ends the wait for its writer. */
  readonly openPipe?: OpenPipe | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: Send;
  /** Whether the service takes `eventId`: called before a new import that maps it. Undefined if it does. */
  readonly takesEventIds?: (() => Promise<boolean>) | undefined;
  readonly traffic: () => Traffic;
  /** Aborted by the first Ctrl-C: requests in progress are finished, and no new ones are sent. */
  readonly stop: AbortSignal;
  readonly onNotice: (text: string) => void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
  /** Called with the estimated number of requests to come; Infinity for a pipe. */
  readonly onPlan?: ((requests: number) => void) | undefined;
}
