import type { Clock } from '../../../kit/clock.ts';
import { type Answer, isUnavailable, type Send, SendFailure } from './send.ts';

/** The service could not be reached, or failed, for longer than `--max-wait`. */
export class Unavailable extends Error {
  readonly inDoubt: boolean;
  /** The last answer was 429. */
  readonly rateLimited: boolean;

  constructor(
    message: string,
    inDoubt: boolean,
    { cause, rateLimited = false }: ErrorOptions & { rateLimited?: boolean } = {},
  ) {
    super(message, { cause });
    this.name = 'Unavailable';
    this.inDoubt = inDoubt;
    this.rateLimited = rateLimited;
  }
}

export interface OutageOptions {
  /** How long an outage may last, in milliseconds, beyond the client's own retries. */
  readonly maxWait: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Told when a pause begins: why, and for how many milliseconds. */
  readonly onPause: (why: string, ms: number) => void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Sends through an outage: when the client has used up its retries, all senders pause together, longer each time,
 * until an answer comes or the outage has lasted `--max-wait`. Then every sender gives up.
 */
export class Outage {
  private readonly options: OutageOptions;
  private since: number | undefined;
  private pauses = 0;
  private pause: Promise<void> | undefined;

  constructor(options: OutageOptions) {
    this.options = options;
  }

  /** Resolves to an answer that is final. Throws Unavailable. */
  async send(send: Send, body: Buffer, key: string, signal: AbortSignal): Promise<Answer> {
    // Once a request of this batch may have been carried out, no later failure takes that back.
    let inDoubt = false;
    for (;;) {
      while (this.pause) await this.pause;
      if (signal.aborted) throw new Unavailable('The import was stopped.', inDoubt);
      let why: string;
      let rateLimited = false;
      let cause: unknown;
      try {
        const answer = await send(body, key, signal);
        if (!isUnavailable(answer.status)) {
          this.since = undefined;
          this.pauses = 0;
          return answer;
        }
        inDoubt ||= answer.inDoubt === true || answer.status >= 500;
        rateLimited = answer.status === 429;
        why = `The service answers ${answer.status}${answer.message ? `: ${answer.message}` : ''}`;
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error;
        inDoubt ||= error.inDoubt;
        why = error.message;
        cause = error;
      }
      const now = this.options.clock.now();
      this.since ??= now;
      if (signal.aborted || now - this.since >= this.options.maxWait)
        throw new Unavailable(why, inDoubt, { cause, rateLimited });
      this.pause ??= this.wait(why, now, signal);
    }
  }

  private async wait(why: string, now: number, signal: AbortSignal): Promise<void> {
    const { clock, random, maxWait, onPause } = this.options;
    const grown = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.pauses++);
    const ms = Math.min(grown, this.since! + maxWait - now) + random() * 500;
    onPause(why, ms);
    await clock.sleep(ms, signal).catch(() => undefined);
    this.pause = undefined;
  }
}
