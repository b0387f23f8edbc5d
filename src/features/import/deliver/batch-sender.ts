import { Semaphore } from '../../../kit/semaphore.ts';
import type { Counters } from '../record/counters.ts';
import type { RecordKind } from '../record/record-kind.ts';
import type { Batch } from './batch.ts';
import { bisect, type Outcome } from './bisect.ts';
import { digestOf, keyOf } from './keys.ts';
import { type Outage, Unavailable } from './outage.ts';
import { type Answer, blamesContent, Refused, type Send } from './send.ts';

/** A batch failed, and the service stored none of its records. `cause` is Refused or Unavailable. */
export class BatchNotStored extends Error {
  constructor(cause: Refused | Unavailable) {
    super(cause.message, { cause });
    this.name = 'BatchNotStored';
  }
}

export interface BatchSenderOptions {
  readonly kind: RecordKind;
  /** The inputs as the user named them. */
  readonly names: readonly string[];
  /** Maximum number of requests at the same time. */
  readonly concurrency: number;
  readonly send: Send;
  readonly outage: Outage;
  readonly counters: Counters;
  /** Stops what has not been sent. */
  readonly signal: AbortSignal;
}

/** Sends batches through outages, and bisects those that are refused for their content. */
export class BatchSender {
  private readonly options: BatchSenderOptions;
  private readonly requests: Semaphore;

  constructor(options: BatchSenderOptions) {
    this.options = options;
    this.requests = new Semaphore(options.concurrency);
  }

  /** Sends a batch of a run whose body has the given digest. Throws BatchNotStored, Refused, Unavailable. */
  async send(batch: Batch, digest: string, run: string): Promise<Outcome> {
    const { kind, names } = this.options;
    // Some of its records were stored, or may have been.
    const state = { ambiguous: batch.checkpoint?.ambiguous ?? false };
    const post = (body: Buffer, count: number) =>
      this.post(batch, { body, count, run }, body === batch.body ? digest : digestOf(body), state);
    try {
      return await bisect(batch, kind, post, names[batch.file]!);
    } catch (error) {
      if (!state.ambiguous && (error instanceof Refused || error instanceof Unavailable))
        throw new BatchNotStored(error);
      throw error;
    }
  }

  /** Sends one request of a batch. */
  private post(
    batch: Batch,
    { body, count, run }: { readonly body: Buffer; readonly count: number; readonly run: string },
    digest: string,
    state: { ambiguous: boolean },
  ): Promise<Answer> {
    const { outage, send, signal, counters } = this.options;
    return this.requests.run(async () => {
      const key = keyOf(run, batch, digest);
      const inRun: Send = (body, key, stop, count) => send(body, key, stop, count, run);
      const answer = await outage.send(inRun, body, key, signal, count).catch((error: unknown) => {
        if (!(error instanceof Unavailable) || error.ambiguous) state.ambiguous = true;
        throw error;
      });
      counters.bytes += body.length;
      const accepted = answer.status >= 200 && answer.status < 300;
      if (accepted || answer.ambiguous) state.ambiguous = true;
      if (!accepted && !blamesContent(answer.status)) throw new Refused(answer);
      return answer;
    });
  }
}
