import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { span } from '../../cli/terminal/time.ts';
import type { Client } from '../../client/client.ts';
import type { Clock as ServiceClock } from '../../contract/schemas.ts';
import type { Clock } from '../../kit/clock.ts';

/** The longest pause between two looks at a clock that moves, in ms. */
const LONGEST_PAUSE_MS = 500;

/** The answer of a call to a test clock. Throws not_offered where the service has none. */
export async function ofTestClock(call: Promise<{ readonly body: unknown }>): Promise<ServiceClock> {
  try {
    const body = (await call).body as Partial<ServiceClock> | undefined;
    if (typeof body?.now === 'string' && !Number.isNaN(Date.parse(body.now))) return body as ServiceClock;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    throw new SvcError('not_offered', 'the service has no test clock', {
      hint: 'start it with one, on data without live workspaces: svc serve --test-clock',
      requestId: error.requestId,
      cause: error,
    });
  }
  throw new SvcError('unavailable', 'the service answered without the time of its clock', {
    hint: 'check the address of the service',
  });
}

/** Moves a test clock by `ms` milliseconds. Resolves once what became due is worked off, with what is due by then. */
export async function advance(
  client: Client,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): Promise<ServiceClock> {
  const read = () => ofTestClock(client.call('getClock', { query: {}, signal }));
  const body = { now: new Date(Date.parse((await read()).now) + ms).toISOString() };
  let reached = await ofTestClock(client.call('setClock', { body, signal }));
  for (let pause = 10; reached.movingTo !== null; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    await clock.sleep(pause, signal);
    reached = await read();
  }
  // Where more comes in all the time, the move ends before all of it is done.
  return ofTestClock(client.call('getClock', { query: { until: reached.now }, signal }));
}

/** The clock in words after a move, with what is left to do. */
export function reachedText({ due, ...clock }: ServiceClock): string {
  const { notifications = 0, deliveries = 0, messages = 0 } = due ?? {};
  const left = Object.entries({ notifications, deliveries, messages }).filter(([, count]) => count > 0);
  const words = left.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return clockText(clock) + (words === '' ? '' : `\nstill being done, as more comes in: ${words}`);
}

/** The clock in words. */
export function clockText({ now, offsetMs, due }: ServiceClock): string {
  // A move takes a moment, by which the offset is less than what was asked for.
  const minutes = Math.round(offsetMs / 60_000) * 60_000;
  const ahead =
    offsetMs > 0 ? `${span(minutes || offsetMs)} later than the time of its machine` : 'not moved';
  if (!due) return `${now}, ${ahead}`;
  const { removed, ...counts } = due;
  const lines = [
    ...Object.entries(counts).map(([kind, count]) => `${kind} due: ${count}`),
    ...Object.entries(removed).map(([kind, count]) => `${kind} removed by retention: ${count}`),
  ];
  return [`${now}, ${ahead}`, ...lines].join('\n');
}
