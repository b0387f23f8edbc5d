import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';
import type { Deliverer } from './deliverer.ts';
import { type Delivery, textField } from './delivery.ts';
import { sendSigned } from './signed-delivery.ts';

/** Kind of a probe. No subscription can select it. */
const PROBE_KIND = 'svc.listen.probe';
const FIRST_PAUSE_MS = 200;

/**
 * Checks whether deliveries to an address reach this listener: sends signed probes there until one arrives.
 * An answer alone is not proof: any server at the address could give it.
 */
export class Probe {
  readonly #nonce = randomBytes(16).toString('hex');
  #arrived = false;

  /** Returns true for a delivery that this probe sent. It must be answered but not reported. */
  readonly isOwnProbe = (delivery: Delivery): boolean => {
    if (delivery.kind !== PROBE_KIND || textField(delivery.json, 'nonce') !== this.#nonce) return false;
    this.#arrived = true;
    return true;
  };

  /**
   * Probes `url` until a probe arrives and is answered, or until `timeoutMs` have passed.
   * @returns undefined on success, else the reason of the failure
   */
  async send(
    url: URL,
    secret: string,
    {
      clock,
      deliverer,
      timeoutMs,
      signal,
    }: {
      clock: Clock;
      deliverer: Deliverer;
      timeoutMs: number;
      signal?: AbortSignal;
    },
  ): Promise<string | undefined> {
    const until = clock.now() + timeoutMs;
    const body = Buffer.from(JSON.stringify({ type: PROBE_KIND, nonce: this.#nonce }));
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const left = until - clock.now();
      const result = await sendSigned({
        to: url,
        body,
        secret,
        deliveryId: `probe_${this.#nonce}`,
        now: clock.now(),
        deliverer,
        deadlineMs: Math.max(1000, left),
        ...(signal ? { signal } : {}),
      });
      if (this.#arrived && result.status === 200) return undefined;
      if (signal?.aborted || clock.now() + pause > until) return why(result, this.#arrived);
      // After an abort, the next attempt ends at once.
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

function why(result: Awaited<ReturnType<typeof sendSigned>>, arrived: boolean): string {
  if (result.status === null) return result.error;
  if (arrived) return `it answered ${result.status}, although the probe arrived here`;
  return `it answered ${result.status}, but the probe did not arrive here`;
}
