import { HEADERS } from '../../contract/headers.ts';
import { signedHeaders } from '../../contract/signed-headers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Answer, Deliverer, NoAnswer } from './deliverer.ts';
import { readBody, textField } from './delivery.ts';
import type { Recorded } from './recording.ts';

export interface ReplayOptions {
  readonly to: URL;
  /** Factor by which the recorded pauses are shortened; Infinity skips them. */
  readonly speed: number;
  /** Secret to sign with again, at the current time. Undefined sends the recorded headers unchanged. */
  readonly reSign?: string;
  readonly clock: Clock;
  readonly deliverer: Deliverer;
  readonly signal?: AbortSignal;
}

export interface Replayed {
  readonly recorded: Recorded;
  readonly result: Answer | NoAnswer;
}

/** Maximum number of concurrent deliveries. A slow handler delays the rest. */
const MAX_CONCURRENT = 32;

/**
 * Sends recorded deliveries in order, with the recorded pauses divided by `speed`, and yields the answers in the same
 * order. A delivery does not wait for the answer to the previous one. Ends early, without an error, when `signal` fires.
 * An error of the recording is thrown after the answers to the deliveries before it.
 */
export async function* replay(
  recording: AsyncIterable<Recorded> | Iterable<Recorded>,
  options: ReplayOptions,
): AsyncGenerator<Replayed> {
  const { clock, speed, signal } = options;
  const inFlight: Array<Promise<Replayed>> = [];
  let first: { recordedAt: number; sentAt: number } | undefined;
  let failure: { error: unknown } | undefined;
  try {
    for await (const recorded of recording) {
      first ??= { recordedAt: recorded.receivedAt, sentAt: clock.now() };
      const due = first.sentAt + Math.max(0, recorded.receivedAt - first.recordedAt) / speed;
      if (due > clock.now() && !(await sleepUntil(clock, due - clock.now(), signal))) break;
      if (signal?.aborted) break;
      inFlight.push(send(recorded, options));
      if (inFlight.length >= MAX_CONCURRENT) yield await (inFlight.shift() as Promise<Replayed>);
    }
  } catch (error) {
    failure = { error };
  }
  for (const result of inFlight) yield await result;
  if (failure) throw failure.error;
}

async function sleepUntil(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  }
}

async function send(recorded: Recorded, options: ReplayOptions): Promise<Replayed> {
  const headers =
    options.reSign === undefined ? recorded.headers : reSigned(recorded, options.reSign, options.clock.now());
  const result = await options.deliverer.post(options.to, recorded.body, headers, {
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return { recorded, result };
}

/** Returns the recorded headers with new signature headers. Keeps `webhook-id`, which identifies the delivery. */
function reSigned({ headers, body }: Recorded, secret: string, now: number): string[] {
  const before = new Map<string, string>();
  for (let i = 0; i < headers.length; i += 2)
    before.set((headers[i] as string).toLowerCase(), headers[i + 1] as string);
  const id = before.get(HEADERS.webhookId) ?? textField(readBody(body).json, 'deliveryId') ?? 'replayed';
  const { 'content-type': type, 'user-agent': agent, ...signature } = signedHeaders(id, now, body, [secret]);
  const after = { 'content-type': type, 'user-agent': agent, ...Object.fromEntries(before), ...signature };
  return Object.entries(after).flatMap(([name, value]) => [name, value as string]);
}
