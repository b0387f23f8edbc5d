/** One run of the listener: listens, subscribes, receives deliveries, and cleans up at the end. */
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { reachableUrl } from '../../kit/reachable-url.ts';
import { Deliverer } from './deliverer.ts';
import { warnOfFailedAttempts } from './failed-attempts.ts';
import { type ForwardEvents, Forwarder } from './forwarder.ts';
import { LeasedSubscription } from './leased-subscription.ts';
import { Probe } from './probe.ts';
import { Receiver, type Report } from './receiver.ts';
import { Recorder } from './recording.ts';
import type { Route } from './routes.ts';
import type { NamedSecret } from './verify-signature.ts';

export interface SessionOptions {
  readonly port: number;
  readonly host: string;
  readonly secrets: readonly NamedSecret[];
  readonly others: readonly NamedSecret[];
  readonly routes: readonly Route[];
  /** Kinds to accept; undefined means all. */
  readonly kinds?: readonly string[] | undefined;
  readonly count?: number | undefined;
  /** File to append verified deliveries to. */
  readonly record?: string | undefined;
  readonly register?: RegisterOptions | undefined;
  readonly clock: Clock;
  /** Ends the run. */
  readonly signal: AbortSignal;
  readonly on: SessionEvents;
}

export interface RegisterOptions {
  readonly client: Client;
  /** The URL at which the service reaches this listener; undefined for its own address. */
  readonly publicUrl?: URL | undefined;
  readonly events: readonly string[];
  /** The secret to sign deliveries with; one of `secrets`. */
  readonly secret: string;
  readonly leaseSeconds: number;
  /** Since when outcomes are sent too, a time in UTC; undefined for new ones only. */
  readonly since?: string | undefined;
  /** Called when the service rejects the subscription. Returns true to continue without one. */
  readonly onRejected: (error: unknown) => boolean;
  /** Returns the command that removes a subscription, for a shell. */
  readonly removal: (id: string) => string;
}

export interface SessionEvents extends ForwardEvents {
  ready(url: URL, registered: { id: string | undefined; url: string } | undefined): void;
  report(report: Report): void;
  warn(text: string): void;
  /** The answer of the service to a wish for earlier outcomes. */
  catchingUp(answer: unknown): void;
}

/** Deliveries to the public address do not reach this listener. */
export class ProbeFailed extends Error {
  readonly url: URL;
  constructor(url: URL, why: string) {
    super(why);
    this.url = url;
  }
}

const PROBE_TIMEOUT_MS = 15_000;

/**
 * Listens until `count` deliveries are received (`counted`) or `signal` fires (`stopped`). Rejects with the listen error,
 * with ProbeFailed, with a rejected subscription that `onRejected` does not accept, and with an error of the recording.
 */
export async function runSession(options: SessionOptions): Promise<'counted' | 'stopped'> {
  const { signal, on, clock, register } = options;
  const undo: Array<() => Promise<void> | void> = [];
  const probe = new Probe();
  try {
    const deliverer = new Deliverer();
    undo.push(() => deliverer.close());
    const recorder = options.record === undefined ? undefined : await Recorder.open(options.record);
    if (recorder) undo.push(() => recorder.close());
    const receiver = makeReceiver(options, deliverer, recorder, probe);
    const url = await receiver.listen(options.port, options.host);
    undo.push(() => receiver.stop());
    let registered: { id: string | undefined; url: string } | undefined;
    let created: unknown;
    if (register) {
      const target = register.publicUrl ?? reachableUrl(url);
      const failure = await probe.send(target, register.secret, {
        clock,
        deliverer,
        timeoutMs: PROBE_TIMEOUT_MS,
        signal,
      });
      if (signal.aborted) return 'stopped';
      if (failure !== undefined) throw new ProbeFailed(target, failure);
      const registration = await subscribe(register, target, options);
      if (registration) {
        undo.push(() => registration.remove());
        const { id } = registration;
        if (id !== undefined)
          undo.push(warnOfFailedAttempts({ client: register.client, id, clock }, on.warn));
        registered = { id, url: target.href };
        created = registration.created;
      }
    }
    if (signal.aborted) return 'stopped';
    on.ready(url, registered);
    if (register?.since !== undefined && registered) on.catchingUp(created);
    return await Promise.race([
      receiver.finished.then(() => 'counted' as const),
      aborted(signal).then(() => 'stopped' as const),
      ...(recorder ? [recorder.failed] : []),
    ]);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function makeReceiver(
  { secrets, others, routes, kinds, count, clock, on }: SessionOptions,
  deliverer: Deliverer,
  recorder: Recorder | undefined,
  probe: Probe,
): Receiver {
  const forwarder = routes.length > 0 ? new Forwarder(routes, deliverer, on) : undefined;
  return new Receiver({
    secrets: () => secrets,
    others,
    now: clock.now,
    isOwnProbe: probe.isOwnProbe,
    onReport: (report) => {
      if (report.type === 'event') recorder?.write(report.delivery);
      on.report(report);
    },
    ...(forwarder ? { forward: (delivery) => forwarder.forward(delivery) } : {}),
    ...(kinds ? { kinds: new Set(kinds) } : {}),
    ...(count === undefined ? {} : { count }),
  });
}

async function subscribe(
  { client, events, secret, leaseSeconds, since, onRejected, removal }: RegisterOptions,
  target: URL,
  { clock, on, signal }: SessionOptions,
): Promise<LeasedSubscription | undefined> {
  try {
    return await LeasedSubscription.create({
      client,
      url: target.href,
      events,
      secret,
      leaseSeconds,
      since,
      clock,
      signal,
      warn: on.warn,
      removal,
    });
  } catch (error) {
    if (!onRejected(error)) throw error;
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
