import type { Clock } from '../../kit/clock.ts';
import type { ImportName } from './journal/identity.ts';
import type { Format } from './read/detect.ts';
import type { OpenPipe } from './read/open.ts';
import type { Progress } from './report/progress-tracker.ts';
import type { Traffic } from './report/result.ts';
import type { Answer, Send } from './send/send.ts';
import type { Mapping } from './transform/mapping.ts';

/** What is to be imported, and how. */
export interface ImportOptions {
  readonly name: ImportName;
  readonly format: Format | undefined;
  readonly mapping: Mapping;
  readonly concurrency: number;
  readonly maxErrors: number | undefined;
  /** Milliseconds. */
  readonly flushInterval: number;
  readonly maxWait: number;
  readonly mode: 'fresh' | 'resume' | 'restart';
  readonly journal: string;
  readonly rejects: string;
  /** That file belongs to the inputs: it was not named by the user, nor is it that of any pipe. */
  readonly rejectsOfInputs: boolean;
  /** A folder for what imports of this user must know of each other. */
  readonly claims: string;
  /** What the user types to go on. */
  readonly resumeCommand: string;
}

/** Everything from outside that an import touches. */
export interface ImportWorld {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Opens a FIFO so that `stop` ends the wait for its writer. */
  readonly openPipe?: OpenPipe | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: Send;
  readonly traffic: () => Traffic;
  /** The first Ctrl-C: nothing new is begun, what is under way is finished. */
  readonly stop: AbortSignal;
  readonly onNotice: (text: string) => void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
  /** Told how many requests are still to come, as far as can be known; Infinity for a pipe. */
  readonly onPlan?: ((requests: number) => void) | undefined;
}
