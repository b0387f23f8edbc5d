/** The five moves of the service (specification: "What the service does"), each once, over the wire. */
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { EVENT_KINDS } from '../../contract/schemas.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { Report, Verified } from '../listen/receiver.ts';
import { follow } from '../live-events/follow.ts';

export interface Stage {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export const USERS = [
  { userId: 'user-1001', name: 'Ada', timeZone: 'Europe/London', locale: 'en-GB' },
  { userId: 'user-1002', name: 'Bruno', timeZone: 'Europe/Lisbon', locale: 'pt-PT' },
  { userId: 'user-1003', name: 'Chioma', timeZone: 'Africa/Lagos', locale: 'en-NG' },
] as const;
const NAMES = ['app_opened', 'card_viewed', 'savings_plan_opened', 'payment_made'];
const EVENTS_A_USER = 8;

export interface Tracked {
  readonly users: number;
  readonly events: number;
  /** The hashed identifier of the first user. */
  readonly hashId: string;
  /** From the request until the first event was in the live stream. */
  readonly streamMs: number;
}

/** Track: identifies users and sends what they did, watching the live event stream. */
export async function track(stage: Stage): Promise<Tracked> {
  const { client, clock, random, signal } = stage;
  const { body } = await client.call('ingestUsers', { body: { users: [...USERS] }, signal });
  const hashId = body.users[0]!.hashId;
  const now = clock.now();
  const events = USERS.flatMap(({ userId }, u) =>
    Array.from({ length: EVENTS_A_USER }, (_, i) => ({
      userId,
      event: NAMES[(i + u) % NAMES.length]!,
      timestamp: new Date(now - (EVENTS_A_USER - i) * 60_000).toISOString(),
      properties: { screen: i % 2 === 0 ? 'home' : 'account', amount: 5 * (i + 1) },
    })),
  );
  const done = new AbortController();
  const { promise: open, resolve: opened } = deferred<void>();
  const stream = follow({
    client,
    clock,
    random,
    maxRetries: 0,
    signal: AbortSignal.any([signal, done.signal]),
    onState: () => opened(),
  });
  const first = stream.next();
  await Promise.race([open, first]);
  const sent = performance.now();
  await client.call('ingestEvents', { body: { events }, signal });
  await first;
  const streamMs = Math.round(performance.now() - sent);
  done.abort();
  await stream.return(undefined);
  return { users: USERS.length, events: events.length, hashId, streamMs };
}

export interface Decided {
  readonly answer: AnswerOf<'decide'>;
  readonly durationMs: number;
}

export const DECIDE_WITH = {
  context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
  guardrails: { excludeCategories: ['security'], maxDailyContacts: 3 },
};

/** Decide: asks for the next best action, within guardrails. */
export async function decide({ client, signal }: Stage, hashId: string): Promise<Decided> {
  const started = performance.now();
  const { body } = await client.call('decide', { body: { hashId, ...DECIDE_WITH }, signal });
  return { answer: body, durationMs: Math.round(performance.now() - started) };
}

export type Rendered = AnswerOf<'listMessages'>['messages'][number];

/** Render: picks the message up as the app does when the user next surfaces. */
export async function render({ client, signal }: Stage, hashId: string): Promise<Rendered | undefined> {
  const { body } = await client.call('listMessages', { query: { hashId }, signal });
  return body.messages[0];
}

export type Notified = AnswerOf<'getNotification'> & { readonly durationMs: number };

const POLL_MS = 50;
const PATIENCE_MS = 8000;

/** Notify: triggers a template for a hashed user and follows it until it is delivered or failed. */
export async function notify({ client, clock, signal }: Stage, hashId: string): Promise<Notified> {
  const started = performance.now();
  const trigger = {
    hashId,
    templateId: 'order_update',
    channel: 'whatsapp',
    variables: { orderId: '4711' },
    priority: 'transactional',
  } as const;
  const { body: accepted } = await client.call('trigger', { body: trigger, signal });
  const params = { id: accepted.notificationId };
  for (let pause = POLL_MS; ; pause *= 2) {
    const { body } = await client.call('getNotification', { params, signal });
    const durationMs = Math.round(performance.now() - started);
    if (body.status === 'delivered' || body.status === 'failed' || durationMs > PATIENCE_MS) {
      return { ...body, durationMs };
    }
    await clock.sleep(pause, signal);
  }
}

export interface CalledBack {
  readonly deliveries: readonly Verified[];
  /** From the last tap until its delivery was verified. */
  readonly afterMs: number;
}

/** What the listener received, to be waited for. */
export interface Inbox {
  readonly onReport: (report: Report) => void;
  /** Resolves once `count` verified deliveries came; rejects when they do not within `withinMs`. */
  verified(count: number, withinMs: number): Promise<readonly Verified[]>;
}

/** Call back: the user opens and acts on the message, and taps the notification; the service tells the subscriber. */
export async function callBack(
  { client, signal }: Stage,
  inbox: Inbox,
  decisionId: string,
  notificationId: string,
): Promise<CalledBack> {
  for (const type of ['opened', 'actioned'] as const) {
    await client.call('messageOutcome', { params: { decisionId }, body: { type }, signal });
  }
  const tapped = performance.now();
  await client.call('notificationOutcome', {
    params: { id: notificationId },
    body: { type: 'clicked' },
    signal,
  });
  const deliveries = await inbox.verified(EVENT_KINDS.length, PATIENCE_MS);
  return { deliveries, afterMs: Math.round(performance.now() - tapped) };
}

/** An inbox for a receiver. */
export function inbox(): Inbox {
  const seen: Verified[] = [];
  const { promise: changed, resolve } = deferred<void>();
  let wanted = Number.POSITIVE_INFINITY;
  return {
    onReport: (report) => {
      if (report.type === 'event') seen.push(report);
      if (seen.length >= wanted) resolve();
    },
    async verified(count, withinMs) {
      wanted = count;
      if (seen.length >= count) return seen;
      const late = new Promise<never>((_, reject) => {
        setTimeout(
          () => reject(new Error(`${seen.length} of ${count} deliveries came within ${withinMs / 1000} s`)),
          withinMs,
        ).unref();
      });
      await Promise.race([changed, late]);
      return seen;
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
