import type { Clock } from '../../../kit/clock.ts';
import { type Answer, isUnavailable, type Send, SendFailure } from './send.ts';

/** The service was unreachable or failing for longer than `--max-wait`. */
export class Unavailable extends Error {
  readonly ambiguous: boolean;
  /** The last answer was 429. */
  readonly rateLimited: boolean;

  constructor(
    message: string,
    ambiguous: boolean,
    { cause, rateLimited = false }: ErrorOptions & { rateLimited?: boolean } = {},
  ) {
    super(message, { cause });
    this.name = 'Unavailable';
    this.ambiguous = ambiguous;
    this.rateLimited = rateLimited;
  }
}

export interface OutageOptions {
  /** How long an outage may last, in milliseconds. A request that is retried then is retried to its end. */
  readonly maxWait: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called when a pause starts, with the reason and the duration in milliseconds. */
  readonly onPause: (reason: string, ms: number) => void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Retries requests during an outage, which began with the first request that failed. When the client has used all its
 * retries, all senders pause together, longer each time, until the service answers or the outage has lasted `--max-wait`.
 * Then every sender gives up.
 */
export class Outage {
  private readonly options: OutageOptions;
  private since: number | undefined;
  private pauses = 0;
  private pause: Promise<void> | undefined;

  constructor(options: OutageOptions) {
    this.options = options;
  }

  /** Resolves to a final answer. Throws Unavailable. */
  async send(send: Send, body: Buffer, key: string, signal: AbortSignal, count: number): Promise<Answer> {
    // Once a request may have been processed, later failures do not change that.
    let ambiguous = false;
    for (;;) {
      while (this.pause) await this.pause;
      if (signal.aborted) throw new Unavailable('The import was stopped.', ambiguous);
      const began = this.options.clock.now();
      let reason: string;
      let rateLimited = false;
      let cause: unknown;
      try {
        const answer = await send(body, key, signal, count);
        if (!isUnavailable(answer.status)) {
          this.since = undefined;
          this.pauses = 0;
          return answer;
        }
        ambiguous ||= answer.ambiguous === true || answer.status >= 500;
        rateLimited = answer.status === 429;
        reason = `The service answers ${answer.status}${answer.message ? `: ${answer.message}` : ''}`;
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error;
        ambiguous ||= error.ambiguous;
        reason = error.message;
        cause = error;
      }
      const now = this.options.clock.now();
      this.since ??= began;
      if (signal.aborted || now - this.since >= this.options.maxWait)
        throw new Unavailable(reason, ambiguous, { cause, rateLimited });
      this.pause ??= this.wait(reason, now, signal);
    }
  }

  private async wait(reason: string, now: number, signal: AbortSignal): Promise<void> {
    const { clock, random, maxWait, onPause } = this.options;
    const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.pauses++);
    const ms = Math.min(backoff, this.since! + maxWait - now) + random() * 500;
    onPause(reason, ms);
    await clock.sleep(ms, signal).catch(() => undefined);
    this.pause = undefined;
  }
}
